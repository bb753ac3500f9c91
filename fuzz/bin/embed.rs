#![no_main]

pno_fuzz::main!(pno_fuzz::page_targets::embed::target);
