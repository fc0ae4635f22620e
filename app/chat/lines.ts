/** Reads newline-delimited JSON as it arrives. */

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
