/** The server's search, asked while somebody types. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { SearchPage } from '../api/types'
import { say } from '../words/say'
import { useWorkspace } from './use-workspace'
import type { Workspace } from './workspace'

/** The query has rested so long, in milliseconds, when the server is asked. */
const REST_MS = 400
const MIN_LENGTH = 2
const MAX_KEPT = 40

/** `found` null: the server has not answered, or not to this query. `fault` is a sentence; empty: there is none. */
export interface ServerSearch {
  readonly found: SearchPage['items'] | null
  readonly relaxed: SearchPage['relaxed']
  readonly corrected: SearchPage['corrected']
  readonly fault: string
}

const NOTHING: ServerSearch = { found: null, relaxed: 'none', corrected: [], fault: '' }

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

/** Answers as long as no note and no task of the copy changes, by path and query. */
const kept = new WeakMap<Workspace, { of: readonly unknown[]; pages: Map<string, SearchPage> }>()

/**
 * Searches on the server once the query rests, and again when notes or tasks have changed.
 * @param path `api/search`, or the search of one type
 */
export function useServerSearch(path: string, query: string, more: Parameters): ServerSearch {
  const workspace = useWorkspace()
  const { note, task } = workspace.copy.shown
  const [notes, tasks] = [note.value, task.value]
  const q = query.trim()
  const parameters = JSON.stringify(more)
  const key = useMemo(() => JSON.stringify([path, q, parameters]), [path, q, parameters])
  const [answer, setAnswer] = useState<{ readonly key: string; readonly search: ServerSearch } | null>(null)
  useEffect(() => {
    if (q.length < MIN_LENGTH) return
    const end = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const asked = { ...JSON.parse(parameters), q, prefix: 'last' }
        const { items, relaxed, corrected } = await ask(workspace, key, { path, query: asked, signal: end.signal })
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
  }, [key, notes, tasks])
  return answer?.key === key && q.length >= MIN_LENGTH ? answer.search : NOTHING
}

async function ask(
  workspace: Workspace,
  key: string,
  request: { readonly path: string; readonly query: Parameters; readonly signal: AbortSignal },
): Promise<SearchPage> {
  const { note, task } = workspace.copy.shown
  const of = [note.peek(), task.peek()]
  const known = kept.get(workspace)
  const pages = known?.of.every((map, i) => map === of[i]) ? known.pages : new Map<string, SearchPage>()
  const page = pages.get(key) ?? (await workspace.api.call<SearchPage>(request))
  if (pages.size >= MAX_KEPT) pages.clear()
  pages.set(key, page)
  kept.set(workspace, { of, pages })
  return page
}

interface Found {
  readonly query: string
  readonly count: number
  readonly server: ServerSearch
  readonly noun: 'note' | 'task'
  /** What is searched where the server cannot be asked, as a sentence. */
  readonly without: string
}

const NOUNS = {
  note: {
    none: say`No notes found.`,
    one: say`One note found.`,
    some: (count: number) => say`${count} notes found.`,
    partly: say`No note has all of these words.`,
  },
  task: {
    none: say`No tasks found.`,
    one: say`One task found.`,
    some: (count: number) => say`${count} tasks found.`,
    partly: say`No task has all of these words.`,
  },
}

/** Says what a search found, what was searched in place of what was typed, and which results have all words. */
export function foundInWords({ query, count, server, noun, without }: Found): string {
  if (query.trim() === '') return ''
  const corrected = server.corrected
    .map(({ from, to }) => ` ${say`“${to}” was searched in place of “${from}”.`}`)
    .join('')
  const relaxed = count === 0 || !server.found ? '' : relaxedInWords(server.relaxed, server.found, noun)
  const fault = server.fault === '' ? '' : ` ${server.fault} ${without}`
  const { none, one, some } = NOUNS[noun]
  return `${count === 0 ? none : count === 1 ? one : some(count)}${corrected}${relaxed}${fault}`
}

function relaxedInWords(relaxed: SearchPage['relaxed'], found: SearchPage['items'], noun: Found['noun']): string {
  if (relaxed !== 'none') return ` ${NOUNS[noun].partly}`
  const whole = countWhole(found)
  return whole === found.length ? '' : ` ${say`${whole} of them {has|have} all of these words.`}`
}

/** How many of the results have as many of the words as the best, which come first. */
export const countWhole = (found: SearchPage['items']) => found.filter(({ words }) => words === found[0]?.words).length
