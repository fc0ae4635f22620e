/** The server's search over whole notes, asked while somebody types. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { SearchPage } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import type { NoteFilter } from './find-notes'

/** The query has rested so long, in milliseconds, when the server is asked. */
const REST_MS = 400
const MIN_LENGTH = 2
const MAX_FOUND = 100
const MAX_KEPT = 40

export type Found = SearchPage['items'][number]

/** `found` null: the server has not answered, or not to this query. `fault` is a sentence; empty: there is none. */
export interface ServerSearch {
  readonly found: readonly Found[] | null
  readonly relaxed: SearchPage['relaxed']
  readonly corrected: SearchPage['corrected']
  readonly fault: string
}

const NOTHING: ServerSearch = { found: null, relaxed: 'none', corrected: [], fault: '' }

/** Answers of a workspace as long as no note of it changes, by query. */
const kept = new WeakMap<ReadonlyMap<string, unknown>, Map<string, SearchPage>>()

/** Searches on the server once the query rests, and again when notes have changed. */
export function useServerSearch(query: string, { tag, folder, archived }: NoteFilter): ServerSearch {
  const workspace = useWorkspace()
  const notes = workspace.copy.shown.note.value
  const q = query.trim()
  const key = useMemo(() => JSON.stringify([q, tag, folder, archived]), [q, tag, folder, archived])
  const [answer, setAnswer] = useState<{ readonly key: string; readonly search: ServerSearch } | null>(null)
  useEffect(() => {
    if (q.length < MIN_LENGTH) return
    const end = new AbortController()
    const timer = setTimeout(async () => {
      const asked = {
        q,
        prefix: 'last',
        limit: MAX_FOUND,
        archived,
        tag: tag ?? undefined,
        folder: folder ?? undefined,
      }
      try {
        const { items, relaxed, corrected } = await ask(workspace, key, asked, end.signal)
        if (!end.signal.aborted) setAnswer({ key, search: { found: items, relaxed, corrected, fault: '' } })
      } catch (error) {
        if (end.signal.aborted) return
        setAnswer({ key, search: { ...NOTHING, fault: inWords(error) } })
      }
    }, REST_MS)
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [key, notes])
  return answer?.key === key && q.length >= MIN_LENGTH ? answer.search : NOTHING
}

async function ask(
  { api, copy }: Workspace,
  key: string,
  query: Record<string, string | number | boolean | undefined>,
  signal: AbortSignal,
): Promise<SearchPage> {
  const notes = copy.shown.note.peek()
  const pages = kept.get(notes) ?? new Map<string, SearchPage>()
  const known = pages.get(key)
  if (known) return known
  const page = await api.call<SearchPage>({ path: 'api/notes/search', query, signal })
  if (pages.size >= MAX_KEPT) pages.clear()
  pages.set(key, page)
  kept.set(notes, pages)
  return page
}
