import { type NoteText, startSatchel } from '../satchel'

export interface Quote {
  readonly id: string
  readonly quote: string
}

/** An answer as far as it is measured. */
export interface Answer {
  readonly text: string
  /** The cited quotations, best first. */
  readonly quotes: readonly Quote[]
  /** Whether it counts as an answer, and not only as the nearest. */
  readonly grounded: boolean
  /** The titles of what it wrote. */
  readonly made: readonly string[]
  /** The code that confirms what it would do; null for nothing. */
  readonly code: string | null
}

type Post = Awaited<ReturnType<typeof startSatchel>>['post']

interface Action {
  readonly status: string
  readonly target: { readonly title: string } | null
  readonly confirm: { readonly code: string } | null
}

/** Tries of a question until its answer is ranked by meaning: on a loaded machine the model may be too slow. */
const MAX_TRIES = 20

/** Begins a talk with the embedded engine: each message is sent with all messages and answers before it. */
export function beginTalk(post: Post, mode: 'read' | 'write', more: object = {}): (content: string) => Promise<Answer> {
  const messages: { role: 'user' | 'assistant'; content: string }[] = []
  async function ask(tries: number): Promise<Answer> {
    const answer = await post('/api/chat', { model: 'satchel-local', messages, mode, ...more })
    if (answer.warnings.includes('meaning_unavailable') && tries > 1) return await ask(tries - 1)
    const actions: Action[] = answer.actions
    return {
      text: answer.message.content,
      quotes: answer.citations.filter(({ cited }: { cited: boolean }) => cited),
      grounded: answer.grounded,
      made: actions.flatMap(({ status, target }) => (status === 'done' && target ? [target.title] : [])),
      code: actions.find(({ status }) => status === 'pending')?.confirm?.code ?? null,
    }
  }
  return async (content) => {
    messages.push({ role: 'user', content })
    const answer = await ask(MAX_TRIES)
    messages.push({ role: 'assistant', content: answer.text })
    return answer
  }
}

/** Starts a server with these notes, and asks it over HTTP, as any client would. @param meaning whether by meaning too */
export async function startAsker(notes: readonly NoteText[], meaning = false) {
  const { ids, post, close } = await startSatchel(notes, meaning)
  return {
    ids,
    close,
    ask: (question: string): Promise<Answer> => beginTalk(post, 'read')(question),
    tell: (command: string): Promise<Answer> => beginTalk(post, 'write')(command),
  }
}
