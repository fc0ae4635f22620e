import { cardForms } from './about-cards'
import { noteForms } from './about-notes'
import { addTaskForms } from './add-task'
import { askTasksForms, looseTaskForms } from './ask-tasks'
import { changeTaskForms } from './change-task'
import type { Intent, Message } from './intent'
import type { SentenceForms } from './pattern'
import { readMessage, withoutCourtesy } from './polite'
import { talkForms } from './talk'

/** What names cards or notes is about them, so these stand before tasks; what asks stands before what changes. */
export const RULES: readonly SentenceForms[] = [
  cardForms,
  noteForms,
  talkForms,
  addTaskForms,
  changeTaskForms,
  askTasksForms,
]

/** What a message asks to be done; null where no rule knows it: then it is taken for a question. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  for (const rule of RULES) {
    const intent = rule(message)
    if (intent) return intent
  }
  return courteous(message) ?? looseTaskForms(message)
}

/** A change that is asked for behind more courtesy than is stripped; "I need to call Ann" names no task, and is none. */
function courteous(message: Message): Intent | null {
  for (const head of withoutCourtesy(message.head)) {
    const intent = addTaskForms({ ...message, head }) ?? changeTaskForms({ ...message, head })
    if (intent) return intent
  }
  return null
}
