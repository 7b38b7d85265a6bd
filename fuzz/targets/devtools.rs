//! Any bytes as the DevTools messages of a browser, and the events in them.

#![no_main]
#![allow(dead_code, reason = "the files belong to `browser`, which uses the rest of them")]

use libfuzzer_sys::fuzz_target;
use serde::de::DeserializeOwned;

#[path = "../../crates/service/browser/src/events.rs"]
mod events;
#[path = "../../crates/service/browser/src/message.rs"]
mod message;

/// Maximum length of a message.
const LONGEST: usize = 16 * 1024;

fn read<T: DeserializeOwned>(params: &str) {
    std::hint::black_box(serde_json::from_str::<T>(params).is_ok());
}

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = message::MessageBuffer::new(LONGEST);
    // In pieces, as a pipe returns them.
    for chunk in bytes.chunks(1_000) {
        buffer.push(chunk, |bytes| {
            assert!(bytes.len() <= LONGEST);
            let Ok(message) = serde_json::from_slice::<message::Message>(bytes) else { return };
            let payloads = [message.params, message.result];
            for params in payloads.iter().flatten() {
                let params = params.get();
                read::<events::RequestPaused>(params);
                read::<events::AuthRequired>(params);
                read::<events::RequestWillBeSent>(params);
                read::<events::ResponseReceived>(params);
                read::<events::DataReceived>(params);
                read::<events::LoadingFinished>(params);
                read::<events::LoadingFailed>(params);
                read::<events::FrameStoppedLoading>(params);
                read::<events::FrameNavigated>(params);
                read::<events::NavigateResult>(params);
            }
        });
    }
});
