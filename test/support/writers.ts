/** Callers that write notes without rest and remember what they were told: the load under which a server is killed. */

/** What a writer knows of one note. */
interface Known {
  /** Title and body as the server last acknowledged them; null before that. */
  acknowledged: string | null
  /** What was sent last, if its answer never came: the server may have done it or not. */
  open: string | null
}

/** Writes until the server is gone; tells of every answer. */
export async function untilGone(write: () => Promise<unknown>, told: () => void): Promise<void> {
  for (;;) {
    try {
      await write()
    } catch {
      // The connection broke: what was sent last stays open.
      return
    }
    told()
  }
}

export class Writer {
  readonly notes = new Map<string, Known>()
  answered = 0

  constructor(
    readonly key: string,
    /** Sets its notes apart from those of others: 0 to 255. */
    readonly number: number,
  ) {}

  get headers(): Record<string, string> {
    return { 'X-API-Key': this.key, 'Content-Type': 'application/json' }
  }

  /** Creates notes and changes them until the server is gone; tells of every answer. */
  async run(url: string, told: () => void): Promise<void> {
    await untilGone(() => this.write(url), told)
  }

  /** One change: of every three the first creates a note, the others change one. Throws when no answer comes. */
  async write(url: string): Promise<Response> {
    const step = this.answered
    const creates = step % 3 === 0
    const id = creates ? this.#id(this.notes.size) : this.#id((step * 7) % this.notes.size)
    const known = this.notes.get(id) ?? { acknowledged: null, open: null }
    this.notes.set(id, known)
    const title = `change ${step} of writer ${this.number}`
    const content = { title, body: `${title}\n`.repeat(1 + (step % 40)) }
    known.open = JSON.stringify(content)
    const response = await fetch(`${url}/api/notes${creates ? '' : `/${id}`}`, {
      method: creates ? 'POST' : 'PATCH',
      headers: this.headers,
      body: JSON.stringify(creates ? { id, ...content } : content),
    })
    await response.arrayBuffer()
    this.answered++
    if (response.ok) known.acknowledged = known.open
    else if (known.acknowledged === null) this.notes.delete(id)
    known.open = null
    return response
  }

  /** Each note that is not as it must be, in words. What was open is settled by what is found. */
  async losses(url: string): Promise<string[]> {
    const found = [...this.notes].map(async ([id, known]) => {
      const response = await fetch(`${url}/api/notes/${id}`, { headers: this.headers })
      const { title, body } = (await response.json()) as { title: string; body: string }
      const content = response.ok ? JSON.stringify({ title, body }) : null
      const allowed = [known.acknowledged, ...(known.open === null ? [] : [known.open])]
      if (!allowed.includes(content)) return `${id} is ${content}, not ${allowed.join(' or ')}`
      if (content === null) this.notes.delete(id)
      this.notes.set(id, { acknowledged: content, open: null })
      return null
    })
    return (await Promise.all(found)).filter((loss) => loss !== null)
  }

  #id(n: number): string {
    const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')
    return `01890000-0000-7000-80${hex(this.number, 2)}-${hex(n, 12)}`
  }
}
