//! The inference worker: holds burn, and talks with the page in messages only.

fn main() {
    pno_web::start::constructors_once();
    pno_web::start::log_to_console(pno_web::worker::tell_fault);
    pno_web::worker::listen();
}
