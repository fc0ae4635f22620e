import { cardForms } from './about-cards'
import { noteForms } from './about-notes'
import { addTaskForms } from './add-task'
import { isForeignOrder, readNoteQuestion, readOtherQuestion, readTaskQuestion } from './ask'
import { askTasksForms, looseTaskForms } from './ask-tasks'
import { changeTaskForms } from './change-task'
import type { GrammarMessage, Intent, ReadIntent } from './intent'
import { organizeForms } from './organize'
import { otherLanguageForms } from './other-languages'
import { firstForm, readForm, type SentenceForms } from './patterns'
import { readMessage, withoutCourtesy } from './polite'

const TEXTS =
  '(?:poems?|essays?|stor(?:y|ies)|e-?mails?|letters?|songs?|jokes?|haikus?|limericks?|sonnets?|speech(?:es)?|toasts?|blog ?posts?|posts?|articles?|code|scripts?|functions?|programs?|tweets?|captions?|slogans?|paragraphs?|sentences?|dialogues?|resumes?|cvs?|reports?|press releases?|riddles?|recipes?|messages?|reply|replies|responses?|proposals?|outlines?|quer(?:y|ies)|regex)'
const TASKS =
  '(?:translate|rewrite|rephrase|paraphrase|proof-?read|brainstorm|calculate|compute|solve|prove|imagine|pretend|act as|role-?play|invent|compose|ghostwrite|debate|argue|improve|shorten|expand|simplify)'

const toTalk = (kind: 'help' | 'greeting' | 'thanks' | 'compose') => (): ReadIntent => ({ kind })

const talkForms = firstForm([
  readForm(
    `(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|what'?s up|how are you(?: doing)?(?: today)?|how do you do)(?: there| satchel| again| you)*[\\s.!,]*`,
    toTalk('greeting'),
  ),
  readForm(
    `(?:thanks|thank you|thx|cheers|great|perfect|nice|good(?: ?bye| night)|bye(?: bye)?|ok(?:ay)?|cool|awesome|got it|well done)(?: (?:so much|very much|a lot|satchel|you|then|bye|job))*[\\s.!,]*`,
    toTalk('thanks'),
  ),
  readForm(
    `(?:help|commands?|usage|menu|(?:show|list)(?: me)? (?:the |your |all )?(?:help|commands?|features|capabilities|skills))(?: me)?[\\s.!]*`,
    toTalk('help'),
  ),
  readForm(
    `(?:tell me |show me |list )?(?:what|which)(?: (?:all|else|things?|kinds? of things?|sort of things?|questions|commands|tasks))* (?:can|could|do|are|should|may) (?:you|i|we)(?: (?:able|know how))?(?: (?:to )?(?:do|ask|say|help|answer|use|tell|understand|give|perform|type))(?: (?:you|me|with|for|about|here|of|to do|from))*`,
    toTalk('help'),
  ),
  readForm(
    `(?:who|what)(?: exactly)? are you|what(?:'s| is) your name|what (?:model|engine|ai|llm)(?: are you| is this| do you use)?.{0,20}|are you (?:an? |really |actually )*(?:bot|robot|human|person|ai|a\\.i\\.?|llm|language model|computer|machine|gpt|chatgpt|real|model)\\b.*|what are (?:your|you) (?:capabilities|skills|features|functions|commands|able to do|capable of)|how (?:do|can|does) (?:you|this|i use you|i use this|it)(?: work)?|how can you help(?: me)?`,
    toTalk('help'),
  ),
  readForm(
    `${TASKS}\\b.*|how (?:do|would|can) (?:you|i|we) say .+ in \\w+|how is .+ said in \\w+|say .+ in (?:french|german|spanish|italian|japanese|chinese|english|latin|portuguese|russian)|what(?:'s| is) [\\d\\s.()]+(?:[-+*/x^]|plus|minus|times|divided by) ?[\\d\\s.()+*/x^-]+`,
    toTalk('compose'),
  ),
  readForm(
    `(?:write|compose|draft|generate|make up|create|make|tell|give|sing|come up with)(?: (?:me|us|up))?(?: (?:an?|the|some|another|my|\\d+|one))?(?: [\\w'-]+){0,3}? ${TEXTS}(?: (?:about|for|to|in|that|of|on|with|from|explaining|describing|which|apologi[sz]ing|saying)\\b.*)?`,
    toTalk('compose'),
  ),
])

/** The rules in order. Messages that name cards or notes are about them, so their rules come before those of tasks. */
export const GRAMMAR_RULES: readonly SentenceForms[] = [
  organizeForms,
  cardForms,
  noteForms,
  talkForms,
  addTaskForms,
  changeTaskForms,
  askTasksForms,
  otherLanguageForms,
]

/** Reads the intent of a message; null if no rule matches: then it is treated as a question. Never throws. */
export function readIntent(text: string): Intent | null {
  const message = readMessage(text)
  if (message.head === '') return null
  const intent = readRules(message) ?? readCourteous(message) ?? looseTaskForms(message)
  if (intent && !ASKS_LOOSELY.includes(intent.kind)) return intent
  return readTaskQuestion(message) ?? readNoteQuestion(message) ?? readOtherQuestion(message) ?? intent
}

/** Whether a message without an intent is an order for something that this server does not do. */
export function isUnknownOrder(text: string): boolean {
  return isForeignOrder(readMessage(text), text)
}

/** What rules read from a part of the words; a question of which every word is read counts more. */
const ASKS_LOOSELY: readonly Intent['kind'][] = ['list_tasks', 'agenda', 'find_notes']

function readRules(message: GrammarMessage): Intent | null {
  for (const rule of GRAMMAR_RULES) {
    const intent = rule(message)
    if (intent) return intent
  }
  return null
}

/**
 * Reads a change with more polite words than are stripped. "I need to call Ann" names no task, so it is not a change.
 */
function readCourteous(message: GrammarMessage): Intent | null {
  for (const head of withoutCourtesy(message.head)) {
    const intent = addTaskForms({ ...message, head }) ?? changeTaskForms({ ...message, head })
    if (intent) return intent
  }
  return null
}
