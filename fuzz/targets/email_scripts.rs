//! Scripts that may write an e-mail address into a page, in a `script` element and in a handler.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| {
    let hint = b"var at='@';".as_slice();
    let page = [b"<p><script>", hint, script, b"</script>"].concat();
    std::hint::black_box(fuzz::contacts(&page));
    let handler = [b"<a href=# onclick=\"mail('@');", script, b"\">x</a>"].concat();
    std::hint::black_box(fuzz::contacts(&handler));
});
