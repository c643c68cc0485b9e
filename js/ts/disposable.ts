/// <reference lib="esnext.disposable" preserve="true" />

/** Makes objects of a class disposable by `using`, where the host knows it. */
export function disposable(prototype: { dispose(): void }): void {
  if (typeof Symbol.dispose === "symbol") {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.dispose, writable: true, configurable: true });
  }
}
