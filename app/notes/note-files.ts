/** The pictures and other files of notes: read with the key, shown from memory. */
import { titleKey } from '../../src/lib/text'
import { findFile, groupByName } from '../../src/notes/attachments/nearest'
import { Refused } from '../api/client'
import type { Attachment, SavedAttachment } from '../api/types'
import { newId } from '../data/ids'
import type { Workspace } from '../data/workspace'
import { say } from '../words/say'

/** Attachments that are listed at once: a workspace with no more of them is asked only once. */
const PAGE = 200
/** Files that one note may load: each is a request. */
const MAX_FILES = 200
/** Bytes of files that stay in memory when their note is left. */
const MAX_KEPT_BYTES = 64 * 2 ** 20
const TRANSFER_TIMEOUT_MS = 300_000
const PATH = 'api/notes/attachments'

interface Page {
  readonly items: Attachment[]
  readonly next_cursor: string | null
}

type Library = ReturnType<typeof createLibrary>
const libraries = new WeakMap<Workspace, Library>()

/** What is known of the attachments of a workspace, and the bytes that were read last. */
function createLibrary({ api }: Workspace) {
  let listed: Promise<Page> | null = null
  const byName = new Map<string, Promise<Page>>()
  const added: Attachment[] = []
  const bytes = new Map<string, Promise<Blob>>()
  let size = 0

  const list = (query: Record<string, string | number>) => api.call<Page>({ path: PATH, query })

  /** The attachments that may have a name: all of them, if they are few. */
  async function candidates(name: string): Promise<readonly Attachment[]> {
    listed ??= list({ limit: PAGE }).catch((error: unknown) => {
      listed = null
      throw error
    })
    const all = await listed
    if (all.next_cursor === null) return [...all.items, ...added]
    const known = byName.get(name) ?? list({ name, limit: PAGE })
    byName.set(name, known)
    known.catch(() => byName.delete(name))
    return [...(await known).items, ...added]
  }

  async function read(id: string): Promise<Blob> {
    const response = await api.open({
      path: `${PATH}/${id}`,
      headers: { Accept: '*/*' },
      signal: AbortSignal.timeout(TRANSFER_TIMEOUT_MS),
    })
    return response.blob()
  }

  function keep(id: string, blob: Promise<Blob>): void {
    bytes.set(id, blob)
    blob.then(
      (read) => {
        size += read.size
        for (const [oldest, other] of bytes) {
          if (size <= MAX_KEPT_BYTES) break
          bytes.delete(oldest)
          other.then((gone) => {
            size -= gone.size
          })
        }
      },
      () => bytes.delete(id),
    )
  }

  return {
    /** Finds the file that a target leads to from a folder, and reads it; null if there is none. */
    async load(target: string, folder: string | null): Promise<Blob | null> {
      const name = target.split(/[/\\]/).at(-1) ?? ''
      const files = (await candidates(name)).map((file) => ({ ...file, name_key: titleKey(file.name) }))
      const file = findFile(folder, target, groupByName(files))
      if (!file) return null
      const blob = bytes.get(file.id) ?? read(file.id)
      if (!bytes.has(file.id)) keep(file.id, blob)
      return blob
    },

    add(file: Attachment, blob: Blob): void {
      added.push(file)
      keep(file.id, Promise.resolve(blob))
    },
  }
}

function libraryOf(workspace: Workspace): Library {
  const library = libraries.get(workspace) ?? createLibrary(workspace)
  libraries.set(workspace, library)
  return library
}

export type NoteFiles = ReturnType<typeof createNoteFiles>

/** Makes what shows the files of one note until it is closed. */
export function createNoteFiles(workspace: Workspace) {
  const urls = new Map<string, Promise<string>>()
  let isClosed = false

  async function open(target: string, folder: string | null): Promise<string> {
    const blob = await libraryOf(workspace).load(target, folder)
    if (!blob || isClosed) throw new Error('no such file')
    return URL.createObjectURL(blob)
  }

  return {
    /** An object URL of the file that a target leads to. Rejects if there is none, or it cannot be read. */
    load(target: string, folder: string | null): Promise<string> {
      const key = `${folder ?? ''}\n${target}`
      const known = urls.get(key)
      if (known) return known
      if (urls.size >= MAX_FILES) return Promise.reject(new Error('too many files'))
      const url = open(target, folder)
      urls.set(key, url)
      url.catch(() => urls.delete(key))
      return url
    },

    /** Revokes all that was opened. */
    close(): void {
      isClosed = true
      for (const url of urls.values()) url.then(URL.revokeObjectURL, () => {})
    },
  }
}

/**
 * Stores files beside a note, and returns the Markdown that shows them.
 * @throws Refused, Unreachable
 */
export async function storeFiles(workspace: Workspace, files: readonly File[], folder: string | null): Promise<string> {
  const shown: string[] = []
  for (const file of files) shown.push(`![[${await storeFile(workspace, file, folder)}]]`)
  return shown.join('\n')
}

async function storeFile(workspace: Workspace, file: File, folder: string | null): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const query = { name: nameOf(file, attempt), ...(folder !== null && { folder }) }
    try {
      const saved = await workspace.api.call<SavedAttachment>({
        method: 'POST',
        path: PATH,
        query,
        body: file,
        headers: { 'Idempotency-Key': newId() },
        signal: AbortSignal.timeout(TRANSFER_TIMEOUT_MS),
      })
      libraryOf(workspace).add(saved, new Blob([file], { type: saved.content_type }))
      return saved.name
    } catch (error) {
      const isTaken = error instanceof Refused && error.code === 'conflict'
      if (!isTaken || attempt === 5) throw error
    }
  }
}

/** The name that a file is stored under: one that a link can spell; browsers call each pasted picture `image.png`. */
function nameOf(file: File, attempt: number): string {
  const [, stem = '', ending = ''] = /^(.*?)(\.[^.]*)?$/s.exec(file.name.replace(/[[\]#^|\\/]/g, '-')) ?? []
  const plain =
    stem === 'image' || stem === '' ? say`Pasted ${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}` : stem
  return `${plain}${attempt > 1 ? ` ${attempt}` : ''}${ending}`
}
