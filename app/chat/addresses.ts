/** Where that which an answer is about can be seen. */
import type { ChatAction, ChatCitation } from '../api/types'
import { addressOf } from '../shell/route'

/**
 * The address of the sentence that a citation quotes, as `#/notes/ID?quote=START-END`: offsets count the code points of
 * the body. Null for a flashcard, whose quote is all that there is to see.
 */
export function citationAddress({ type, id, start, end }: ChatCitation): string | null {
  if (type === 'note') return addressOf('notes', [id], { quote: `${start}-${end}` })
  return type === 'task' ? addressOf('tasks', ['task', id]) : null
}

/** The address of what an action is about; null for what has no screen. */
export function targetAddress({ target, risk }: ChatAction): string | null {
  if (!target || risk === 'delete') return null
  if (target.type === 'note') return addressOf('notes', [target.id])
  if (target.type === 'task') return addressOf('tasks', ['task', target.id])
  return target.type === 'deck' ? addressOf('study', ['deck', target.id]) : null
}
