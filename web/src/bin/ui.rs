//! The interface: runs on the page's main thread, draws, and never computes.

fn main() {
    pno_web::start::constructors_once();
    pno_web::start::log_to_console(pno_web::ui::tell_fault);
    pno_web::ui::mount();
}
