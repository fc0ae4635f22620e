const OPENING = /<think(?:ing)?>/
const CLOSING = /<\/think(?:ing)?>/
const TAGS = ['<think>', '<thinking>', '</think>', '</thinking>']

/**
 * Takes out of a model's text what it thinks aloud between `<think>` and `</think>`, wherever the stream cuts the
 * tags, and the blank space before the first word. What is never closed is all thought.
 */
export class ThinkingFilter {
  #held = ''
  #thinking = false
  #spoke = false

  /** The part of the answer that is certain by now. */
  push(text: string): string {
    this.#held += text
    let said = ''
    for (;;) {
      const tag = (this.#thinking ? CLOSING : /<\/?think(?:ing)?>/).exec(this.#held)
      if (!tag) break
      if (!this.#thinking) said += this.#held.slice(0, tag.index)
      this.#held = this.#held.slice(tag.index + tag[0].length)
      this.#thinking = OPENING.test(tag[0])
    }
    const certain = this.#held.length - openEnd(this.#held)
    if (!this.#thinking) said += this.#held.slice(0, certain)
    this.#held = this.#held.slice(certain)
    return this.#trimmed(said)
  }

  /** What was held back and has turned out to be no tag. */
  end(): string {
    const rest = this.#thinking ? '' : this.#held
    this.#held = ''
    return this.#trimmed(rest)
  }

  #trimmed(text: string): string {
    const said = this.#spoke ? text : text.trimStart()
    this.#spoke ||= said !== ''
    return said
  }
}

/** How many characters at the end may be the start of a tag. */
function openEnd(text: string): number {
  const start = text.lastIndexOf('<')
  const end = text.slice(start)
  return start >= 0 && TAGS.some((tag) => tag.startsWith(end)) ? end.length : 0
}
