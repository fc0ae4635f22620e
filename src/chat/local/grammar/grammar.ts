import { aboutCards } from './about-cards'
import { aboutNotes } from './about-notes'
import { addTask } from './add-task'
import { askTasks } from './ask-tasks'
import { changeTask } from './change-task'
import type { Intent, Rule } from './intent'
import { readMessage } from './polite'
import { talk } from './talk'

/** What names cards or notes is about them, so these stand before tasks; what asks stands before what changes. */
const RULES: readonly Rule[] = [aboutCards, aboutNotes, talk, addTask, changeTask, askTasks]

/** What a message asks to be done; null where no rule knows it: then it is taken for a question. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  for (const rule of RULES) {
    const intent = rule(message)
    if (intent) return intent
  }
  return null
}
