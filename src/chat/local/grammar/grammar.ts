import { isForeignOrder, readSlotQuestion } from './ask'
import { readListQuestion } from './ask-list'
import { readCommand } from './commands'
import type { Intent } from './intent'
import { readMessage } from './polite'
import { narrow } from './shapes'
import { readTalk } from './talk'

/** Reads the intent of a message; null if it is a question to the notes. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  const intent = readCommand(message)?.intent ?? null
  // "Show notes tagged x" finds notes by words as well, but a question of which every word is read counts more.
  if (intent && intent.kind !== 'find_notes') return intent
  return readSlotQuestion(message) ?? intent ?? readTalk(narrow(message.head)) ?? readListQuestion(narrow(message.head))
}

/** Whether a message without an intent is an order for something that this server does not do. */
export function isUnknownOrder(text: string): boolean {
  return isForeignOrder(readMessage(text), text)
}
