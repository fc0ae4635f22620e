import type { ChatAnswer, ChatRequest } from '../../src/chat/schema'
import { makeKey, makeWorld } from '../support/world'

export interface NoteDraft {
  readonly title: string
  readonly body: string
  readonly tags?: readonly string[]
}

/** A caller with a workspace of its own. */
export interface Caller {
  readonly key: string
  /** Makes a note and gives its id. */
  add(draft: NoteDraft): Promise<string>
  /** Asks, and gives the answer as JSON. A text is the only message. */
  ask(question: string | ChatRequest): Promise<ChatAnswer>
}

/** All callers come from one address, and one of them asks a thousand things. */
const UNLIMITED = { API_LIMIT_PER_HOUR: '1000000', NEW_KEYS_PER_DAY: '0' }

/** The app, and callers in it, each with the notes that it is given: notes of one are nothing to another. */
export async function makeCallers() {
  const world = await makeWorld({ settings: UNLIMITED })
  let callers = 0

  async function caller(drafts: readonly NoteDraft[] = []): Promise<Caller> {
    const me = { key: makeKey(++callers) }
    const send = async (path: string, body: unknown, status: number) => {
      const answer = await world.call(me, 'POST', path, body)
      if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const add = async (draft: NoteDraft): Promise<string> => (await send('/api/notes', draft, 201)).id
    for (const draft of drafts) await add(draft)
    return {
      ...me,
      add,
      ask: (question) => send('/api/chat', typeof question === 'string' ? asking(question) : question, 200),
    }
  }

  return { world, caller }
}

export const asking = (content: string): ChatRequest => ({ messages: [{ role: 'user', content }] })

/** An answer without what differs between two runs. */
export function comparable({
  id: _id,
  created_at: _at,
  total_duration: _total,
  eval_duration: _eval,
  ...rest
}: ChatAnswer) {
  return rest
}

/** The code points start..end of a text. */
export const codePointsOf = (text: string, start: number, end: number): string => [...text].slice(start, end).join('')
