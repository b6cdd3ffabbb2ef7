#![no_main]

sparsvm_fuzz_targets::target!("parquet");
