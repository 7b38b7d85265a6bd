//! A DNS server for tests whose names resolve to forbidden addresses.

use std::net::Ipv4Addr;

use tokio::net::UdpSocket;

/// Serves until the test ends; returns its address.
pub async fn serve() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    let address = socket.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question).await {
            if let Some(answer) = answer(&question[..length]) {
                let _ = socket.send_to(&answer, from).await;
            }
        }
    });
    address
}

fn answer(question: &[u8]) -> Option<Vec<u8>> {
    // Labels of the name follow the header, then type and class.
    let mut at = 12;
    let mut labels = Vec::new();
    while *question.get(at)? > 0 {
        let length = usize::from(question[at]);
        labels.push(String::from_utf8_lossy(question.get(at + 1..at + 1 + length)?).to_lowercase());
        at += 1 + length;
    }
    let end = at + 5;
    let is_a = question.get(at + 1..at + 3)? == [0, 1];
    let addresses: Option<&[Ipv4Addr]> = match labels.join(".").as_str() {
        "private.example.com" => Some(&[Ipv4Addr::LOCALHOST]),
        "mixed.example.com" => Some(&[Ipv4Addr::new(1, 1, 1, 1), Ipv4Addr::new(10, 0, 0, 1)]),
        _ => None,
    };
    let records = addresses.filter(|_| is_a).unwrap_or_default();
    let code = if addresses.is_some() { 0x80 } else { 0x83 };
    let mut answer = question.get(..2)?.to_vec();
    answer.extend([0x81, code, 0, 1, 0, u8::try_from(records.len()).ok()?, 0, 0, 0, 0]);
    answer.extend(question.get(12..end)?);
    for address in records {
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}
