/** Keeps what was typed into a note that was meanwhile changed or deleted elsewhere: as a note of its own. */
import { signal } from '@preact/signals'
import { type Api, Refused, Unreachable } from '../api/client'
import type { Note } from '../api/types'
import type { Copy } from './copy'
import type { Outbox, RefusedWrite } from './outbox'
import { partNote } from './resources'
import type { Write } from './writes'

/** A note that was changed elsewhere, and the note that has what was typed here. */
export interface KeptText {
  readonly id: string
  readonly title: string
  readonly copyId: string
}

/** The note is another one by now, is erased, or is in the trash. */
const CODES = new Set(['precondition_failed', 'not_found', 'conflict'])
const MAX_TITLE = 500
const SUFFIX = ' (conflicting copy)'

interface Deps {
  readonly api: Api
  readonly copy: Copy
  readonly add: Outbox['add']
  readonly newId: () => string
}

export function createKeeper({ api, copy, add, newId }: Deps) {
  const kept = signal<readonly KeptText[]>([])
  /** The notes that were made, by the id and the revision that was typed into: what follows goes there as well. */
  const copies = new Map<string, string>()

  /** Reads the note as it is now; null if there is none, or nobody to ask. */
  async function readNow(id: string): Promise<Note | null> {
    try {
      const note = await api.call<Note>({ path: `api/notes/${id}` })
      const { summary, body } = partNote(note)
      await copy.confirm([{ type: 'note', id, resource: note.deleted_at === null ? summary : null, body }])
      return note
    } catch (error) {
      if (error instanceof Refused || error instanceof Unreachable) return null
      throw error
    }
  }

  return {
    /** What was kept, until the person has seen it. */
    kept,

    /** Keeps the text of a refused write. Returns false if it has none, or was refused for another reason. */
    async keep({ write, code }: RefusedWrite): Promise<boolean> {
      if (write.type !== 'note' || write.op.op !== 'update' || !CODES.has(code)) return false
      const { id, if_revision, data } = write.op
      const { body, title, properties: _, ...rest } = data
      if (body === undefined) return false
      const known = copies.get(`${id} ${if_revision}`)
      if (known) {
        await add([update(known, { body })])
        return true
      }
      const now = await readNow(id)
      if (now?.deleted_at === null && Object.keys(rest).length > 0) await add([update(id, rest)])
      if (now?.deleted_at === null && now.body === body) return true
      const name = title ?? now?.title ?? copy.shown.note.peek().get(id)?.title ?? 'Untitled'
      const copyId = newId()
      copies.set(`${id} ${if_revision}`, copyId)
      await add([
        {
          type: 'note',
          op: {
            op: 'create',
            id: copyId,
            data: {
              title: [...name].slice(0, MAX_TITLE - SUFFIX.length).join('') + SUFFIX,
              body,
              ...(now && { folder: now.folder, tags: now.tags }),
            },
          },
        },
      ])
      kept.value = [...kept.peek(), { id, title: name, copyId }]
      return true
    },
  }
}

function update(id: string, data: Extract<Write['op'], { op: 'update' }>['data']): Write {
  return { type: 'note', op: { op: 'update', id, data } } as Write
}
