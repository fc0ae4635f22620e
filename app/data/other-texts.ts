/** Texts of notes that other tabs have typed and not sent, and what texts were made of. */
import type { Body, CopiedType } from './resources'
import { isOfResource, type PendingWrite, type ResourceWrite, type Write, writtenBody } from './writes'

/** Bodies of which it is known what they were made of. */
const MAX_SOURCES = 100

type TextWrite = Extract<Write, { type: CopiedType }>

export function createOtherTexts() {
  /** The writes that give them, by tab. */
  const byTab = new Map<string, readonly ResourceWrite[]>()
  /** The body that a body was made of, by note and that one, the newest last. */
  const sources = new Map<string, string>()
  /** The body that the server has, of notes whose bodies were made of others here, … */
  const latest = new Map<string, string>()
  /** … and by note and body those that it has had. */
  const confirmed = new Set<string>()

  /** Remembers what the body that a write gives was made of. */
  function noteSource(write: ResourceWrite): void {
    const body = writtenBody(write)
    if (body !== undefined && write.base?.body !== undefined) link(write.op.id, body, write.base.body)
  }

  function link(id: string, body: string, source: string): void {
    // What was between them stays known.
    if (madeOf(id, body).has(source)) return
    sources.set(`${id} ${body}`, source)
    const [oldest = ''] = sources.keys()
    if (sources.size <= MAX_SOURCES) return
    sources.delete(oldest)
    confirmed.delete(oldest)
  }

  /** A body, and those that it was made of in a tab of this browser, at once or in several steps. */
  function madeOf(id: string, body: string | undefined): ReadonlySet<string> {
    const bodies = new Set<string>()
    for (let text = body; text !== undefined && !bodies.has(text); text = sources.get(`${id} ${text}`)) bodies.add(text)
    return bodies
  }

  /**
   * Whether a body of a note, such as the one that the server has, was made of the one that a write gives. It was not if that
   * one was made of it: somebody typed back what was there before.
   */
  function isContained(write: TextWrite, whole = latest.get(write.op.id)): boolean {
    const [{ id }, body] = [write.op, writtenBody(write)]
    if (whole === undefined || body === undefined || body === whole) return false
    return madeOf(id, whole).has(body) && !madeOf(id, write.base?.body).has(whole)
  }

  return {
    /**
     * The writes of a resource in this tab, with those of other tabs that give it a text, in their order; without bodies that
     * the server's was made of, which are still to be sent, but add nothing.
     */
    shownWith(own: readonly ResourceWrite[], type: CopiedType, id: string): readonly ResourceWrite[] {
      const foreign = [...byTab.values()].flat().filter((write) => write.type === type && write.op.id === id)
      const all = foreign.length === 0 ? own : [...foreign, ...own].sort((a, b) => a.at - b.at)
      return all.map((write) => (isContained(write) ? withoutBody(write) : write))
    },

    /** Takes what a tab has typed, in place of what it had then. Returns the writes of before and of now. */
    set(tab: string, writes: readonly PendingWrite[]): readonly ResourceWrite[] {
      const before = byTab.get(tab) ?? []
      const typed = writes
        .filter(isOfResource)
        .filter((write) => write.op.op === 'update' && writtenBody(write) !== undefined)
      if (typed.length > 0) byTab.set(tab, typed)
      else byTab.delete(tab)
      typed.forEach(noteSource)
      return [...before, ...typed]
    },

    noteSource,

    /** Takes what the server has of a note by now, which is made of what it had before. */
    noteConfirmed({ id, body }: Body): void {
      const before = latest.get(id)
      const isMade = sources.has(`${id} ${body}`)
      if (before !== undefined && before !== body && !isMade) link(id, body, before)
      if (before === undefined && !isMade) return
      latest.set(id, body)
      confirmed.add(`${id} ${body}`)
    },

    isContained,

    /**
     * Whether the body that a write gives was made of another one that the server has, and has all of it: not if the server has
     * had one in between, which somebody elsewhere has taken back.
     */
    isMadeOf(write: TextWrite, whole: string): boolean {
      const body = writtenBody(write)
      for (const text of madeOf(write.op.id, body)) {
        if (text === whole) return true
        if (text !== body && confirmed.has(`${write.op.id} ${text}`)) return false
      }
      return false
    },
  }
}

function withoutBody(write: ResourceWrite): ResourceWrite {
  const { body: _, ...data } = (write.op as { readonly data: { readonly body?: string } }).data
  return { ...write, op: { ...write.op, data } } as ResourceWrite
}
