/** A version 7 UUID (RFC 9562): the time in milliseconds, then random bits. `crypto.randomUUID` makes none of these. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const time = Date.now()
  for (let place = 0; place < 6; place++) bytes[place] = Math.floor(time / 256 ** (5 - place)) % 256
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
