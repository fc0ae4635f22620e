import { cutBytes } from '../lib/text'

/** Bytes of UTF-8 of one message. The last one may have more, for a language model. */
export const MAX_MESSAGE_BYTES = 16 * 1024
/** Bytes of UTF-8 of all messages together. */
export const MAX_ALL_MESSAGES_BYTES = 64 * 1024
/** Messages of a conversation that are read. */
const MAX_MESSAGES = 64

interface Message {
  readonly role: string
  readonly content: string
}

/**
 * Shortens a conversation to what is read of it: earlier messages are cut to MAX_MESSAGE_BYTES, then the oldest turns
 * are left out, and at last the oldest system messages. The last user message and what follows it stay.
 */
export function shortenHistory<One extends Message>(messages: readonly One[]): { messages: One[]; shortened: boolean } {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const cut = messages.map((message, i) => {
    const content = i === last ? message.content : cutBytes(message.content, MAX_MESSAGE_BYTES)
    return content === message.content ? message : { ...message, content }
  })
  const isSystem = ({ role }: Message) => role === 'system' || role === 'developer'
  const places = cut.map((message, place) => ({ message, place }))
  const droppable = [
    ...places.slice(0, Math.max(last, 0)).filter(({ message }) => !isSystem(message)),
    ...places.filter(({ message }) => isSystem(message)),
  ]
  let count = cut.length
  let bytes = cut.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const dropped = new Set<number>()
  for (const { message, place } of droppable) {
    // An answer without its question tells nothing, so it goes as well.
    const follows = dropped.size > 0 && message.role === 'assistant'
    if (count <= MAX_MESSAGES && bytes <= MAX_ALL_MESSAGES_BYTES && !follows) break
    dropped.add(place)
    count--
    bytes -= Buffer.byteLength(message.content)
  }
  const shortened = dropped.size > 0 || cut.some((one, i) => one !== messages[i])
  return { messages: cut.filter((_, place) => !dropped.has(place)), shortened }
}
