#![no_main]

pno_fuzz::main!(pno_fuzz::readers::zarr);
