#![no_main]

#[path = "text.rs"]
mod text;

libfuzzer_sys::fuzz_target!(|text: &str| text::judge(text));
