#![no_main]

#[path = "life.rs"]
mod life;

libfuzzer_sys::fuzz_target!(|data: &[u8]| life::judge(data));
