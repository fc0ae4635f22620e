/** What is sent of a conversation with the next question. */
import type { Turn } from './turns'

/** What the server reads of a conversation: more would only be dropped there. */
const MAX_MESSAGES = 64
const MAX_BYTES = 64 * 1024

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** The messages of a request: the question, and before it as many of the last turns as the server reads. */
export function toMessages(earlier: readonly Turn[], { content }: Turn): Message[] {
  const messages: Message[] = [{ role: 'user', content }]
  let bytes = countBytes(content)
  for (const turn of earlier.toReversed()) {
    if (turn.answer.text === '') continue // Nothing was answered, so the question tells nothing.
    bytes += countBytes(turn.content) + countBytes(turn.answer.text)
    if (messages.length + 2 > MAX_MESSAGES || bytes > MAX_BYTES) break
    messages.unshift({ role: 'user', content: turn.content }, { role: 'assistant', content: turn.answer.text })
  }
  return messages
}

const countBytes = (text: string) => new TextEncoder().encode(text).length
