//! Parsing and formatting of markers.

use page::{ProtectionKind, ProtectionMarker, UnknownMarker, Vendor};

#[test]
fn markers_round_trip_through_text() {
    for vendor in Vendor::ALL {
        for kind in ProtectionKind::ALL {
            let marker = ProtectionMarker { vendor, kind };
            assert_eq!(marker.to_string().parse(), Ok(marker));
            let json = serde_json::to_string(&marker).expect("a text");
            assert_eq!(json, format!("\"{marker}\""));
            assert_eq!(serde_json::from_str::<ProtectionMarker>(&json).expect("a marker"), marker);
        }
    }
}

#[test]
fn marker_texts_are_stable() {
    let text = |vendor, kind| ProtectionMarker { vendor, kind }.to_string();
    assert_eq!(text(Vendor::Cloudflare, ProtectionKind::Challenge), "cloudflare_challenge");
    assert_eq!(text(Vendor::AwsWaf, ProtectionKind::Captcha), "aws_waf_captcha");
    assert_eq!(text(Vendor::QueueIt, ProtectionKind::WaitingRoom), "queue_it_waiting_room");
    assert_eq!(text(Vendor::CaptchaWall, ProtectionKind::Captcha), "captcha_wall_captcha");
}

#[test]
fn unknown_marker_texts_are_rejected() {
    for text in
        ["", "cloudflare", "challenge", "_challenge", "cloudflare_", "nobody_block", "Akamai_block"]
    {
        assert_eq!(text.parse::<ProtectionMarker>(), Err(UnknownMarker), "{text}");
    }
}
