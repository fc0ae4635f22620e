/** The conversation of a workspace: it goes on while other screens are open, and is kept until the tab is closed. */
import { batch, type Signal, signal } from '@preact/signals'
import { clockTime } from '../../public/in-words.js'
import { inWords, Refused, Unreachable } from '../api/client'
import type { ChatConfirmation } from '../api/types'
import { timeZone } from '../data/clock'
import { newId } from '../data/ids'
import type { Workspace } from '../data/workspace'
import { addLine, EMPTY_ANSWER, ownText } from './answer'
import { toMessages } from './history'
import { createLineReader } from './lines'
import { keepTurns, loadTurns, type Turn } from './turns'

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
  const store = `satchel.chat ${workspace.key ?? ''}`
  const turns = signal<readonly Signal<Turn>[]>(loadTurns(store).map((turn) => signal(turn)))
  const isAsking = signal(false)
  /** What a screen reader says: an answer once it is complete, and what became of an undo. */
  const announced = signal('')
  let running: AbortController | null = null
  /** How the workspace takes back what a turn has done. */
  const inverses = new WeakMap<Signal<Turn>, () => Promise<void>>()

  const all = () => turns.peek().map((turn) => turn.peek())
  const save = () => keepTurns(store, all())
  function change(turn: Signal<Turn>, members: Partial<Turn>): void {
    turn.value = { ...turn.peek(), ...members }
  }

  async function receive(turn: Signal<Turn>, signal: AbortSignal): Promise<void> {
    const asked = turn.peek()
    const earlier = all().slice(0, turns.peek().indexOf(turn))
    // What was written here a moment ago is to be found.
    if (outbox.waiting.peek() > 0) await outbox.flush()
    const { body } = await api.open({
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
    if (!body) throw new Unreachable()
    for await (const lines of readLines(body)) change(turn, { answer: lines.reduce(addLine, turn.peek().answer) })
    const { end, fault } = turn.peek().answer
    if (!end && fault === null) throw new Unreachable()
  }

  async function run(turn: Signal<Turn>): Promise<void> {
    const stopping = new AbortController()
    running = stopping
    isAsking.value = true
    announced.value = ''
    change(turn, { state: 'asking', fault: '', answer: EMPTY_ANSWER })
    save()
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
    save()
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
      announced.value = 'Undone.'
      forgetDone(turn)
    } catch (error) {
      announced.value = inWords(error)
      change(turn, { undo: 'none', undoFault: inWords(error) })
      throw error
    } finally {
      save()
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
    act(others.length > 0 ? `${first.summary}, and ${others.length} more.` : `${first.summary}.`, [], inverse)
  }

  return {
    turns,
    isAsking,
    announced,

    /** Asks. Does nothing while an answer is on its way: the caller keeps what was typed. */
    ask({ question, content = question, mode, tag, decides = null }: Asked): boolean {
      if (isAsking.peek()) return false
      const turn = signal<Turn>({
        ...{ id: newId(), question, content, mode, tag, decides, answer: EMPTY_ANSWER, state: 'asking', fault: '' },
        ...{ undo: 'none', stepsDone: 0, undoFault: '' },
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
        question: isConfirmed ? 'Confirm' : 'Cancel',
        content: isConfirmed ? 'yes' : `cancel ${code}`,
        mode: 'write',
        tag: null,
        decides: { token, isConfirmed },
      })
    },

    /** Stops the answer that is on its way. What has come stays. */
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

    /** Begins a new conversation. */
    clear(): void {
      running?.abort()
      running = null
      isAsking.value = false
      announced.value = ''
      turns.value = []
      save()
    },
  }
}

/**
 * Yields the complete lines of each piece of a body, until it ends. A last line that nothing ends is left out: the
 * connection broke off in it. Throws Unreachable when it breaks off with an error.
 */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly string[]> {
  const read = createLineReader()
  const reader = body.getReader()
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw new Unreachable()
    })
    if (done) return
    const lines = read(value)
    if (lines.length > 0) yield lines
  }
}

/** A line that is no JSON is none of the server's: a proxy spoke for it. */
function failureInWords(error: unknown): string {
  if (error instanceof Refused && error.code === 'rate_limited' && error.retryAfter !== null) {
    const until = clockTime(new Date(Date.now() + error.retryAfter * 1000))
    return `The requests of this hour are used up. Your question is kept: try again at ${until}.`
  }
  if (error instanceof SyntaxError || error instanceof Unreachable)
    return 'The server cannot be reached, or the answer broke off.'
  return inWords(error)
}

function resultInWords({ answer, state, fault }: Turn): string {
  const waiting = answer.actions.filter(({ status }) => status === 'pending').length
  return [
    ownText(answer),
    state === 'stopped' ? 'Stopped.' : fault,
    waiting > 0 ? 'It waits for you to confirm or to cancel it.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
