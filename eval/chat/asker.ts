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
}

/** Tries of a question until its answer is ranked by meaning: on a loaded machine the model may be too slow. */
const MAX_TRIES = 20

/** Starts a server with these notes, and asks it over HTTP, as any client would. @param meaning whether by meaning too */
export async function startAsker(notes: readonly NoteText[], meaning = false) {
  const { ids, post, close } = await startSatchel(notes, meaning)

  /** Asks the turns of one talk, each with the answers to those before it; returns all answers. */
  async function talk(turns: readonly string[], mode: 'read' | 'write' = 'read'): Promise<Answer[]> {
    const messages: { role: 'user' | 'assistant'; content: string }[] = []
    const answers: Answer[] = []
    for (const content of turns) {
      messages.push({ role: 'user', content })
      const answer = await ask(messages, mode)
      answers.push(answer)
      messages.push({ role: 'assistant', content: answer.text })
    }
    return answers
  }

  async function ask(messages: readonly object[], mode: 'read' | 'write', tries = MAX_TRIES): Promise<Answer> {
    const { message, citations, grounded, actions, warnings } = await post('/api/chat', { messages, mode })
    if (warnings.includes('meaning_unavailable') && tries > 1) return await ask(messages, mode, tries - 1)
    return {
      text: message.content,
      quotes: citations.filter(({ cited }: { cited: boolean }) => cited),
      grounded,
      made: actions.flatMap(({ status, target }: { status: string; target: { title: string } | null }) =>
        status === 'done' && target ? [target.title] : [],
      ),
    }
  }

  return {
    ids,
    close,
    talk,
    async ask(question: string): Promise<Answer> {
      return await ask([{ role: 'user', content: question }], 'read')
    },
  }
}
