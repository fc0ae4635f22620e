/** The open conversation of a workspace, which goes on while other screens are shown. */
import { batch, type Signal, signal } from '@preact/signals'
import { inWords, Refused, Unreachable } from '../api/client'
import type { ChatConfirmation } from '../api/types'
import { timeZone } from '../data/clock'
import { conversationsOf } from '../data/conversations'
import { newId } from '../data/ids'
import { clockTime } from '../data/moments'
import { readParts } from '../data/read-parts'
import type { Workspace } from '../data/workspace'
import { say } from '../words/say'
import { addLine, EMPTY_ANSWER, ownText } from './answer'
import { toMessages } from './history'
import { readTurn, type Turn } from './turns'

type Asked = Pick<Turn, 'question' | 'mode' | 'tag'> & Partial<Pick<Turn, 'content' | 'decides'>>

export type Conversation = ReturnType<typeof createConversation>

const conversations = new WeakMap<Workspace, Conversation>()

/** The conversation of an open workspace. */
export function conversationOf(workspace: Workspace): Conversation {
  const known = conversations.get(workspace) ?? createConversation(workspace)
  conversations.set(workspace, known)
  return known
}

function createConversation(workspace: Workspace) {
  const { api, outbox, sync, act, undoable } = workspace
  const past = conversationsOf(workspace)
  const id = signal(newId())
  const turns = signal<readonly Signal<Turn>[]>([])
  const isAsking = signal(false)
  /** What a screen reader says: an answer once it is complete, and what became of an undo. */
  const announced = signal('')
  let running: AbortController | null = null
  /** How the workspace takes back what a turn has done. */
  const inverses = new WeakMap<Signal<Turn>, () => Promise<void>>()

  const all = () => turns.peek().map((turn) => turn.peek())
  const save = (turn: Signal<Turn>) => void past.keep(turn.peek())
  function change(turn: Signal<Turn>, members: Partial<Turn>): void {
    turn.value = { ...turn.peek(), ...members }
  }

  async function receive(turn: Signal<Turn>, signal: AbortSignal): Promise<void> {
    const asked = turn.peek()
    const earlier = all().slice(0, turns.peek().indexOf(turn))
    // What was written here a moment ago is to be found.
    if (outbox.waiting.peek() > 0) await outbox.flush()
    const response = await api.open({
      method: 'POST',
      path: 'api/chat',
      headers: { 'Idempotency-Key': asked.id },
      body: {
        stream: true,
        messages: toMessages(earlier, asked),
        mode: asked.mode,
        time_zone: timeZone,
        ...(asked.tag !== null && { scope: { tags: [asked.tag] } }),
        ...(asked.decides?.isConfirmed && { confirm: [asked.decides.token] }),
      },
      signal,
    })
    try {
      for await (const line of readParts(response, '\n')) change(turn, { answer: addLine(turn.peek().answer, line) })
    } catch {
      throw new Unreachable() // It broke off, or a proxy spoke in place of the server.
    }
    const { end, fault } = turn.peek().answer
    if (!end && fault === null) throw new Unreachable()
  }

  async function run(turn: Signal<Turn>): Promise<void> {
    const stopping = new AbortController()
    running = stopping
    isAsking.value = true
    announced.value = ''
    change(turn, { state: 'asking', fault: '', answer: EMPTY_ANSWER })
    save(turn)
    const end = await receive(turn, stopping.signal).then(
      (): Partial<Turn> => {
        const { fault } = turn.peek().answer
        return fault === null ? { state: 'answered' } : { state: 'failed', fault }
      },
      (error: unknown): Partial<Turn> => {
        if (stopping.signal.aborted) return { state: 'stopped' }
        return { state: 'failed', fault: failureInWords(error) }
      },
    )
    batch(() => {
      if (running === stopping) {
        running = null
        isAsking.value = false
        announced.value = resultInWords({ ...turn.peek(), ...end })
      }
      change(turn, end)
    })
    save(turn)
    if (!turn.peek().answer.actions.some(({ status }) => status === 'done')) return
    rememberDone(turn)
    sync.pull()
  }

  /** Takes back what an answer has done, step by step; after a failure it goes on where it was. Throws Refused, Unreachable. */
  async function takeBack(turn: Signal<Turn>): Promise<void> {
    const { answer, undo } = turn.peek()
    if (!answer.undo || undo !== 'none') return
    announced.value = ''
    change(turn, { undo: 'undoing', undoFault: '' })
    try {
      for (const step of [answer.undo, ...answer.undo.next].slice(turn.peek().stepsDone)) {
        await api.call({
          method: step.method,
          path: step.path.slice(1),
          ...(step.body && { body: step.body }),
          headers: step.if_match === null ? {} : { 'If-Match': step.if_match },
        })
        change(turn, { stepsDone: turn.peek().stepsDone + 1 })
      }
      change(turn, { undo: 'undone' })
      announced.value = say`Undone.`
      forgetDone(turn)
    } catch (error) {
      announced.value = inWords(error)
      change(turn, { undo: 'none', undoFault: inWords(error) })
      throw error
    } finally {
      save(turn)
      sync.pull()
    }
  }

  function forgetDone(turn: Signal<Turn>): void {
    const inverse = inverses.get(turn)
    undoable.value = undoable.peek().filter((done) => done.inverse !== inverse)
  }

  /** Puts what an answer has done among the actions of the workspace, so that its undo takes it back in its turn. */
  function rememberDone(turn: Signal<Turn>): void {
    const [first, ...others] = turn.peek().answer.actions.filter(({ status }) => status === 'done')
    if (!first || !turn.peek().answer.undo) return
    forgetDone(turn) // A turn that was asked again.
    const inverse = () => takeBack(turn)
    inverses.set(turn, inverse)
    act(others.length > 0 ? say`${first.summary}, and ${others.length} more.` : `${first.summary}.`, [], inverse)
  }

  /** Shows a conversation, and stops the answer on its way in the one before. */
  function begin(next: string, shown: readonly Signal<Turn>[]): void {
    running?.abort()
    running = null
    batch(() => {
      isAsking.value = false
      announced.value = ''
      id.value = next
      turns.value = shown
    })
  }

  const read = async (of: string) => (await past.read(of)) as Turn[]

  past.watch(async (changed) => {
    if (changed !== '' && changed !== id.peek()) return
    const kept = await read(id.peek())
    // The turn on its way here is ahead of what is kept.
    const own = isAsking.peek() ? turns.peek().at(-1) : undefined
    if (kept.length === 0 && !own) return begin(newId(), [])
    const known = new Map(turns.peek().map((turn) => [turn.peek().id, turn]))
    const others = kept.flatMap((turn) => {
      const shown = known.get(turn.id) ?? signal(turn)
      if (shown === own) return []
      shown.value = turn
      return shown
    })
    turns.value = own ? [...others, own] : others
  })

  return {
    id,
    turns,
    isAsking,
    announced,

    /** Asks. Does nothing while an answer is on its way: the caller keeps what was typed. */
    ask({ question, content = question, mode, tag, decides = null }: Asked): boolean {
      if (isAsking.peek()) return false
      const turn = signal<Turn>({
        ...{ conversation: id.peek(), id: newId(), question, content, mode, tag, decides },
        ...{ answer: EMPTY_ANSWER, state: 'asking', fault: '', undo: 'none', stepsDone: 0, undoFault: '' },
      })
      turns.value = [...turns.peek(), turn]
      run(turn)
      return true
    },

    /** Asks the last question again. What it had done already is not done twice. */
    retry(turn: Signal<Turn>): void {
      if (!isAsking.peek()) run(turn)
    },

    /** Confirms a pending action, or cancels it. */
    decide({ token, code }: ChatConfirmation, isConfirmed: boolean): boolean {
      return this.ask({
        question: isConfirmed ? say`Confirm` : say`Cancel`,
        content: isConfirmed ? 'yes' : `cancel ${code}`,
        mode: 'write',
        tag: null,
        decides: { token, isConfirmed },
      })
    },

    /** Stops the answer on its way. What has come stays. */
    stop(): void {
      running?.abort()
    },

    /** Takes back what an answer has done. The turn says what became of it. */
    async undo(turn: Signal<Turn>): Promise<void> {
      try {
        await takeBack(turn)
      } catch (error) {
        inWords(error) // Told in the turn; anything but an answer of the server is a fault of the app.
      }
    },

    /** Goes on with a conversation that was kept. Resolves with false if there is none of this id. */
    async open(next: string): Promise<boolean> {
      if (next === id.peek()) return true
      const kept = await read(next)
      const shown = kept.map((turn) => signal(readTurn(turn)))
      if (shown.length > 0) begin(next, shown)
      return kept.length > 0
    },

    /** Begins a new conversation. */
    clear: () => begin(newId(), []),
  }
}

function failureInWords(error: unknown): string {
  if (error instanceof Refused && error.code === 'rate_limited' && error.retryAfter !== null) {
    const until = clockTime(new Date(Date.now() + error.retryAfter * 1000))
    return say`The requests of this hour are used up. Your question is kept: try again at ${until}.`
  }
  if (error instanceof Unreachable) return say`The server cannot be reached, or the answer broke off.`
  return inWords(error)
}

function resultInWords({ answer, state, fault }: Turn): string {
  const waiting = answer.actions.filter(({ status }) => status === 'pending').length
  return [
    ownText(answer),
    state === 'stopped' ? say`Stopped.` : fault,
    waiting > 0 ? say`It waits for you to confirm or to cancel it.` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
