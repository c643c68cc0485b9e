//! Sends back the body of each request: what `bench/service.py` compares the service with.
//!
//! It has the libraries, the runtime and the allocator of `robots serve`, and none of its work. Prints its address.

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let router = Router::new()
        .fallback(post(async |body: Bytes| body))
        .layer(DefaultBodyLimit::disable());
    axum::serve(listener, router).await
}
