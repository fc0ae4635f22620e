/** A body as it is sent: text and bytes as they are, anything else as JSON. */
export function raw(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}
