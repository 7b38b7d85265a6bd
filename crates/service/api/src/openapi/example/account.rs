//! Examples of sessions and of the audit log.

use contract::{
    AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditId, AuditObject, AuditPage, Millis,
    SessionDetails, SessionId,
};
use serde_json::Map;

use super::{NOW, account, key, request_id};

pub(crate) fn session_details() -> SessionDetails {
    SessionDetails {
        id: SessionId::new(NOW, [0x6b; 10]),
        created_at: NOW,
        last_used_at: Some(NOW),
        expires_at: Millis(NOW.0 + 12 * 3_600_000),
        address: Some("203.0.113.7".to_owned()),
        user_agent: Some("Mozilla/5.0".to_owned()),
        current: true,
    }
}

pub(crate) fn audit() -> AuditPage {
    let account_id = account().account_id;
    let entry = AuditEntry {
        id: AuditId::new(NOW, [0x7a; 10]),
        at: NOW,
        actor: AuditActor { kind: AuditActorKind::Session, id: Some(account_id.to_string()) },
        account_id: Some(account_id),
        action: AuditAction::KeyRevoked,
        object: Some(AuditObject { kind: "key".to_owned(), id: key().id.to_string() }),
        address: Some("203.0.113.7".to_owned()),
        request_id: Some(request_id()),
        details: Map::new(),
    };
    AuditPage { items: vec![entry], page: 1, page_size: 100, has_more: false }
}
