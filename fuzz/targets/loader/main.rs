#![no_main]

#[path = "folder.rs"]
mod folder;

libfuzzer_sys::fuzz_target!(|data: &[u8]| folder::judge(data));
