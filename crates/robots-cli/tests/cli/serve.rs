//! `robots serve`: the lines in README.md, settings, and the exit codes.

use crate::program::{command, robots, workspace};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A service in a process of its own.
struct Service {
    process: Child,
    address: SocketAddr,
}

impl Service {
    /// Starts it on a free port, with these arguments.
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_robots"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = log.by_ref().find_map(|line| {
            let line = line.unwrap();
            let (_, address) = line.split_once("address=")?;
            Some(address.trim().parse().unwrap())
        });
        // The rest of the log is read, and has no further use.
        std::thread::spawn(move || log.count());
        Self {
            process,
            address: address.expect("the service starts"),
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        let status = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(status.success());
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the block about the service: each path is asked for, and the last line stops it. The site is one without a robots.txt.
#[test]
fn the_lines_in_the_readme_work() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```sh\nrobots serve &\n").unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    let mut service = Service::start(&[]);
    let mut requests = 0;
    for line in block.lines() {
        let command = line.split(" #").next().unwrap().trim_end();
        if let Some(path) = command.strip_prefix("curl http://127.0.0.1:8080") {
            let answer = service.get(&path.replace("example.com", "127.0.0.1%3A9"));
            assert!(answer.starts_with("HTTP/1.1 200 "), "{line}: {answer}");
            requests += 1;
        } else {
            assert_eq!(command, "kill %1");
            service.signal("-TERM");
        }
    }
    assert_eq!(requests, 3);
    assert_eq!(service.process.wait().unwrap().code(), Some(0));
}

/// A service that is started for the first time, without anything unusual, has nothing to warn of: neither of a new store nor of the
/// limits of the system.
#[test]
fn a_first_start_prints_no_warning() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("new.store");
    let settings = workspace().join("deploy/robots-serve.toml");
    let paths = [&store, &settings].map(|path| path.to_str().unwrap());
    let log_of = |files: u32, arguments: &[&str]| {
        let mut process = Command::new("sh")
            .args(["-c", "ulimit -n \"$1\" && shift && exec \"$@\"", "sh"])
            .arg(files.to_string())
            .arg(env!("CARGO_BIN_EXE_robots"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut text = String::new();
        while !text.contains("address=") {
            assert!(log.read_line(&mut text).unwrap() > 0, "{text}");
        }
        let pid = process.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        log.read_to_string(&mut text).unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(0), "{text}");
        text
    };
    let connections = "limits.connections=9999";
    for (files, arguments, has_warning) in [
        (1024, &[][..], false),
        (1024, &["--store", paths[0]], false),
        (1024, &["--store", paths[0]], false),
        (1024, &["--settings", paths[1]], false),
        (1024, &["--set", connections], true),
    ] {
        let log = log_of(files, arguments);
        assert_eq!(log.contains("WARN"), has_warning, "{log}");
        assert!(!log.contains("ERROR"), "{log}");
        // Fewer connections are reported in any case.
        assert!(log.contains(" connections=512 "), "{log}");
    }
}

#[test]
fn a_request_that_is_cut_off_sets_the_exit_code() {
    for (setting, signals, code) in [
        ("shutdown-timeout=200ms", &["-TERM"][..], 143),
        ("shutdown-timeout=200ms", &["-INT"], 130),
        ("shutdown-timeout=1m", &["-TERM", "-INT"], 130),
        ("shutdown-timeout=1m", &["-INT", "-TERM"], 143),
    ] {
        let mut service = Service::start(&["--set", setting]);
        let mut stream = TcpStream::connect(service.address).unwrap();
        // The service waits for the body.
        let head = "POST /v1/meta HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        for signal in signals {
            std::thread::sleep(Duration::from_millis(300));
            service.signal(signal);
        }
        let ended = service.process.wait().unwrap().code();
        assert_eq!(ended, Some(code), "{setting} {signals:?}");
    }
}

/// The health check of a container: with the settings of the service, from inside of it.
#[test]
fn a_probe_says_whether_a_service_is_alive() {
    let service = Service::start(&["--set", "allowed-hosts=example.com"]);
    let port = service.address.port();
    let probe = |host: &str, port: u16| {
        let allowed = ["--set", "allowed-hosts=example.com"];
        let listen = format!("{host}:{port}");
        robots(
            ["serve", "--probe", "--listen", &listen]
                .into_iter()
                .chain(allowed),
        )
    };
    assert_eq!(probe("127.0.0.1", port).code, 0);
    assert_eq!(probe("0.0.0.0", port).code, 0);

    // A port at which nothing listens, and one at which something else does.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\n");
    });
    for message in [
        "is not alive: HTTP/1.1 404",
        "no service answers at 127.0.0.1:",
    ] {
        let failed = probe("127.0.0.1", port);
        assert_eq!(failed.code, 2);
        assert!(failed.stderr.contains(message), "{}", failed.stderr);
    }
}

#[test]
fn errors_in_settings_end_the_program() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (arguments, message) in [
        (
            &["--set", "lisen=x"][..],
            "error: argument lisen: unknown key `lisen`: did you mean `listen`?",
        ),
        (&["--set", "listen"], "expected KEY=VALUE"),
        (
            &["--settings", "/none/none.toml"],
            "error: /none/none.toml: cannot read the file: ",
        ),
        (
            &["--listen", "8080"],
            "invalid value '8080' for '--listen <ADDRESS>'",
        ),
        (
            &["--listen", &address],
            "error: cannot listen on 127.0.0.1:",
        ),
        (
            &["--listen", "127.0.0.1:0", "--redis", "http://x"],
            "error: cannot use the setting `redis`: ",
        ),
        (
            &["--listen", "127.0.0.1:0", "--store", "/none/none.store"],
            "error: cannot open the store: ",
        ),
    ] {
        let outcome = robots([&["serve"], arguments].concat());
        outcome.assert_error(message);
    }
}

#[test]
fn printed_settings_are_those_in_force() {
    let outcome = command("serve --print-settings --set limits.body-bytes=1MiB");
    assert_eq!(outcome.code, 0);
    outcome.assert_stdout_contains("\nbody-bytes = \"1MiB\"\n");
}
