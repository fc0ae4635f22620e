/** Yields the parts of a body that end with a text, as they come. What follows the last is left out. */
export async function* readParts(response: Response, ending: string): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  // A TextDecoderStream would drop the last pieces before an error.
  const reader = response.body?.getReader()
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done) return
    const text = decoder.decode(value, { stream: true })
    // A part of 1 MB comes in many pieces, which are not looked through again and again.
    const parts = text.includes(ending[0] ?? '') ? (rest + text).split(ending) : [rest + text]
    rest = parts.pop() ?? ''
    yield* parts
  }
}
