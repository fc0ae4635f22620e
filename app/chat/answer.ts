/** What the server sends of an answer, and what is shown of it. */
import { READ_ONLY } from '../../src/chat/engine'
import type { ChatAction, ChatAnswer, ChatCitation, ChatUndo } from '../api/types'
import { say } from '../words/say'

/** An answer as far as it has come. */
export interface StreamedAnswer {
  /** All of the text, as the conversation goes on with it. */
  readonly text: string
  /** UTF-16 units of the text before the part that tells how to confirm in words: there are buttons for that. */
  readonly ownLength: number
  readonly citations: readonly ChatCitation[]
  readonly actions: readonly ChatAction[]
  readonly undo: ChatUndo | null
  /** The last line of the answer; null until it has come. */
  readonly end: Pick<ChatAnswer, 'engine' | 'grounded' | 'confidence' | 'warnings' | 'done_reason'> | null
  /** The server's sentence about why it could not go on; null unless the answer ended so. */
  readonly fault: string | null
}

export const EMPTY_ANSWER: StreamedAnswer = {
  text: '',
  ownLength: 0,
  citations: [],
  actions: [],
  undo: null,
  end: null,
  fault: null,
}

/** A line of the stream. */
type Line =
  | (ChatAnswer & { readonly done: true })
  | {
      readonly done: false
      readonly message: { readonly content: string }
      readonly action?: ChatAction
      readonly citation?: ChatCitation
    }
  | {
      readonly done?: undefined
      readonly detail: string
      readonly actions?: readonly ChatAction[]
      readonly undo?: ChatUndo
    }

/** Adds a line of the stream to an answer. Throws SyntaxError for a line of a proxy, which is no JSON. */
export function addLine(answer: StreamedAnswer, json: string): StreamedAnswer {
  const line = JSON.parse(json) as Line
  if (line.done) {
    const { citations, actions, undo, engine, grounded, confidence, warnings, done_reason } = line
    return { ...answer, citations, actions, undo, end: { engine, grounded, confidence, warnings, done_reason } }
  }
  if (line.done === undefined) {
    const { detail, actions = answer.actions, undo = answer.undo } = line
    return { ...answer, actions, undo, fault: detail }
  }
  const { message, action, citation } = line
  const text = answer.text + message.content
  return {
    ...answer,
    text,
    ownLength: isHowToConfirm(answer, message.content) ? answer.ownLength : text.length,
    actions: action ? [...answer.actions, action] : answer.actions,
    citations: citation ? [...answer.citations, citation] : answer.citations,
  }
}

/** Whether a piece of text is the one that the server adds for clients that show only text, with codes to confirm by. */
function isHowToConfirm({ text, actions }: StreamedAnswer, piece: string): boolean {
  const codes = [...piece.matchAll(/Reply: confirm (\w+)/g)].map(([, code]) => code)
  return text !== '' && actions.some(({ confirm }) => confirm && codes.includes(confirm.code))
}

const NOTHING_CHANGED = say`This question may only read, so nothing was changed.`

/** What is shown of the text. What it says to programs is said to people here. */
export const ownText = ({ text, ownLength }: StreamedAnswer): string =>
  Object.values(READ_ONLY).reduce(
    (shown, told) => shown.replace(told, NOTHING_CHANGED),
    text.slice(0, ownLength).trimEnd(),
  )

/** Whether the text has what an action does: the built-in engine says it in the language of the question. */
export const tells = (answer: StreamedAnswer, { summary }: ChatAction): boolean =>
  ownText(answer).includes(summary) || (answer.actions.length === 1 && answer.end?.engine === 'local')

/** Whether something was left undone because the question may only read. */
export const wasOnlyRead = ({ text, actions }: StreamedAnswer): boolean =>
  Object.values(READ_ONLY).some((said) => text.includes(said)) || actions.some(({ status }) => status === 'denied')

/** Splits a text at the marks `[n]` of its citations; each mark becomes its citation. Other brackets stay text. */
export function textParts(text: string, citations: readonly ChatCitation[]): (string | ChatCitation)[] {
  const byNumber = new Map(citations.map((citation) => [citation.n, citation]))
  return text
    .split(/\[(\d{1,9})\]/)
    .map((part, place) => (place % 2 === 0 ? part : (byNumber.get(Number(part)) ?? `[${part}]`)))
    .filter((part) => part !== '')
}

/** The citations to show: those of the text, or what was read if the text marks none. */
export function shownCitations(citations: readonly ChatCitation[]): readonly ChatCitation[] {
  const cited = citations.filter((citation) => citation.cited)
  return cited.length > 0 ? cited : citations
}

/**
 * Says of a language model's answer that no source carries it; null where one does, or where something was done instead.
 * The built-in engine says it in its own text.
 */
export function doubtInWords({ end, citations, actions }: StreamedAnswer): string | null {
  if (end?.engine !== 'upstream' || end.grounded || actions.length > 0) return null
  return citations.length > 0
    ? say`Not certain: this cites none of what the language model has read, which is below.`
    : say`Nothing that you have stored supports this answer.`
}

const WARNINGS: Readonly<Record<string, string>> = {
  history_shortened: say`The beginning of this conversation was left out: it is too long.`,
  prompt_shortened: say`A part of this conversation was left out: it is too long for the language model.`,
  upstream_failed: say`The language model failed to answer. This is from the built-in engine.`,
  upstream_timeout: say`The language model did not answer in time. This is from the built-in engine.`,
  upstream_unauthorized: say`The language model refused the key of this server. This is from the built-in engine.`,
  upstream_out_of_tokens: say`The language model had no tokens left. This is from the built-in engine.`,
  upstream_unreachable: say`The language model cannot be reached. This is from the built-in engine.`,
  upstream_refused_tools: say`The language model takes no tools: it answered from what a search found, and can change nothing.`,
  daily_tokens_exhausted: say`Today’s share of the language model is used up. This is from the built-in engine.`,
  budget_exhausted: say`The language model stopped early: this question took all that one may take.`,
  tools_stopped: say`The language model was stopped from looking further.`,
  read_in_part: say`Your message was read in part only.`,
  notes_read_in_part: say`Some notes were read in part only: there are many.`,
  interrupted: say`This question had been interrupted. Nothing was done twice.`,
}

/** What else is to be known of a finished answer, in sentences. */
export function warningsInWords({ end }: StreamedAnswer): string[] {
  const known = (end?.warnings ?? []).flatMap((code) => WARNINGS[code] ?? [])
  return end?.done_reason === 'length' ? [...known, say`The answer was cut off at its limit.`] : known
}
