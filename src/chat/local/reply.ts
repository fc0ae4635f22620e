/** Messages that only the answer before them explains: "save that as a note", "undo that", "yes", "cancel". */
import { cutCodePoints } from '../../lib/text'
import type { Mentioned } from './conversation'
import type { Intent } from './grammar/intent'
import { NOTHING_TO_UNDO, NOTHING_WAITS, writeWaiting } from './wording'

/** What such a message asks for: an action, or a sentence. */
export type Reply =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'say'; readonly intent?: undefined; readonly text: string }

const SAVE =
  /^(?:please )?(?:save|keep|store|put) (?:that|this|it|the answer|your answer|that answer) (?:as|in|into) (?:a|a new|the) note(?: (?:called|named|titled) ["“]?(?<title>[^"”]+?)["”]?)?(?: please)?[.!]?$/i
const UNDO =
  /^(?:please )?(?:undo|revert|take back)(?: (?:that|it|this|the last (?:one|action|change|thing)))?(?: please)?[.!]?$/i
const YES_OR_NO =
  /^(?:yes|yes please|yep|yeah|sure|do it|go ahead|confirm|no|nope|cancel|cancel (?:it|that)|never ?mind|ja|nein|oui|non|s[ií])[.!]?$/i
const WAITING_CODE = /Reply: confirm ([2-9][0-9a-z]{5})/g

/** What was done, as the answer to it begins. */
const DONE = /^(?<verb>Created|Completed|Reopened) the (?<type>note|task) "(?<title>[^"]+)"/

/** Code points of the title of a saved answer. */
const MAX_TITLE_CHARS = 80

/** Reads a message that only the answer before it explains; null for any other. */
export function readReply(message: string, mentioned: Mentioned): Reply | null {
  const text = message.trim()
  const { answer, asked } = mentioned
  if (YES_OR_NO.test(text)) return readYesOrNo(answer)
  if (answer === '') return null
  const save = SAVE.exec(text)
  if (save) {
    const title = save.groups?.title ?? cutCodePoints(asked.trim().split('\n')[0] ?? '', MAX_TITLE_CHARS)
    return { kind: 'intent', intent: { kind: 'create_note', title: title.trim() || null, body: answer, tags: [] } }
  }
  return UNDO.test(text) ? readUndo(answer) : null
}

/** Answers yes and no with what waits and how: only the code confirms. Null where nothing was asked or answered. */
function readYesOrNo(answer: string): Reply | null {
  const codes = Array.from(answer.matchAll(WAITING_CODE), ([, code]) => code ?? '')
  if (codes.length > 0) return { kind: 'say', text: writeWaiting(codes) }
  return { kind: 'say', text: NOTHING_WAITS }
}

/** Undoes what the answer says it did, where that is one thing with an opposite. */
function readUndo(answer: string): Reply {
  const { verb, type, title = '' } = DONE.exec(answer)?.groups ?? {}
  const named = { words: title, quoted: true }
  if (verb === 'Created' && (type === 'note' || type === 'task'))
    return { kind: 'intent', intent: { kind: 'trash', type, named } }
  if (verb === 'Completed') return { kind: 'intent', intent: { kind: 'reopen_task', task: named } }
  if (verb === 'Reopened') return { kind: 'intent', intent: { kind: 'complete_task', task: named } }
  return { kind: 'say', text: NOTHING_TO_UNDO }
}
