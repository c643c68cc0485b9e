//! The end of a service.

use crate::client::{Answer, Service, start};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn idle_connections_end_at_once() {
    let mut service = start(&[]);
    let mut idle = service.connect();
    let mut used = service.connect();
    let mut buffer = [0; 4096];
    used.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    assert!(used.read(&mut buffer).unwrap() > 0);
    let start = Instant::now();
    service.ask_to_stop();
    assert_eq!(idle.read(&mut buffer).unwrap(), 0);
    assert_eq!(used.read(&mut buffer).unwrap(), 0);
    drop((idle, used));
    assert!(service.join());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert!(TcpStream::connect(service.address).is_err());
}

/// Sends a request without the last byte of its body, and returns the connection once the service has its head.
fn begun(service: &Service) -> TcpStream {
    let mut stream = service.connect();
    let head = "POST /v1/meta HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n";
    let body = "{\"html\": \"x\"";
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    stream
}

/// A request whose head has arrived is answered; its connection is the last of the service.
#[test]
fn a_request_in_flight_is_answered() {
    let mut service = start(&[]);
    let mut stream = begun(&service);
    service.ask_to_stop();
    std::thread::sleep(Duration::from_millis(200));
    stream.write_all(b"}").unwrap();
    let answer = Answer::read(&mut stream);
    assert_eq!(answer.status, 200, "{answer:?}");
    drop(stream);
    assert!(service.join());
}

#[test]
fn a_connection_without_a_whole_head_ends_at_once() {
    let mut service = start(&[]);
    let mut stream = service.connect();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHo").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    service.ask_to_stop();
    assert!(service.join());
    // The end may be a reset.
    assert!(matches!(stream.read(&mut [0; 4096]), Ok(0) | Err(_)));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

/// On a connection that has had an answer, a request counts from the end of its head (docs/service.md, operation).
#[test]
fn a_kept_connection_ends_before_the_head_of_its_next_request_is_whole() {
    let mut service = start(&[]);
    let mut stream = service.connect();
    let mut buffer = [0; 4096];
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    assert!(stream.read(&mut buffer).unwrap() > 0);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHo").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    service.ask_to_stop();
    assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    drop(stream);
    assert!(service.join());
}

/// A runtime that outlives the service does not keep its connections.
#[test]
fn the_time_to_stop_is_bounded() {
    let mut service = start(&[("shutdown-timeout", "300ms")]);
    let mut stream = begun(&service);
    let start = Instant::now();
    service.ask_to_stop();
    assert!(!service.join());
    assert!(matches!(stream.read(&mut [0; 4096]), Ok(0) | Err(_)));
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}
