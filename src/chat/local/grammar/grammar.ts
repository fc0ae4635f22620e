import { aboutCards } from './about-cards'
import { aboutNotes } from './about-notes'
import { addTask } from './add-task'
import { askLoosely, askTasks } from './ask-tasks'
import { changeTask } from './change-task'
import type { Intent, Message } from './intent'
import type { Forms } from './pattern'
import { readMessage, withoutCourtesy } from './polite'
import { talk } from './talk'

/** What names cards or notes is about them, so these stand before tasks; what asks stands before what changes. */
export const RULES: readonly Forms[] = [aboutCards, aboutNotes, talk, addTask, changeTask, askTasks]

/** What a message asks to be done; null where no rule knows it: then it is taken for a question. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  for (const rule of RULES) {
    const intent = rule(message)
    if (intent) return intent
  }
  return courteous(message) ?? askLoosely(message)
}

/** A change that is asked for behind more courtesy than is stripped; "I need to call Ann" names no task, and is none. */
function courteous(message: Message): Intent | null {
  for (const head of withoutCourtesy(message.head)) {
    const intent = addTask({ ...message, head }) ?? changeTask({ ...message, head })
    if (intent) return intent
  }
  return null
}
