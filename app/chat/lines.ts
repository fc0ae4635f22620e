/** Reads newline-delimited JSON as it arrives. */
import { Unreachable } from '../api/client'

/**
 * Makes a function that takes bytes and returns the lines that they end. Bytes may be cut anywhere, also within a
 * character. Only `\n` ends a line: JSON may contain other line separators, such as U+2028. Empty lines are left out.
 */
export function createLineReader(): (bytes: Uint8Array) => string[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    return lines.filter((line) => line !== '')
  }
}

/**
 * Yields the complete lines of each piece of a body, until it ends. A last line that nothing ends is left out: the
 * connection broke off in it. Throws Unreachable when it breaks off with an error.
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const read = createLineReader()
  const reader = body.getReader()
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw new Unreachable()
    })
    if (done) return
    const lines = read(value)
    if (lines.length > 0) yield lines
  }
}
