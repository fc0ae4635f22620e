/** Whether a command of a set did what it says, and nothing else. */

import { beginTalk } from './asker'
import { PATTERNS } from './baseline'
import { type Command, type Does, fold, type OwnSet } from './set'
import { pull, type State, type Workspace } from './world'

interface Changed {
  readonly id: string
  readonly type: string
  readonly was: Readonly<Record<string, unknown>> | null
  readonly is: Readonly<Record<string, unknown>> | null
}

export interface Outcome {
  readonly right: boolean
  /** Whether it changed anything. */
  readonly wrote: boolean
  readonly text: string
  readonly changed: readonly Changed[]
}

/** Says it to the embedded engine. Only what deletes or takes back may ask first, and is confirmed. */
export async function obey(workspace: Workspace, set: OwnSet, { before = [], say, does }: Command): Promise<Outcome> {
  const talk = beginTalk(workspace.post, 'write', { time_zone: set.time_zone })
  async function tell(text: string, confirms: boolean) {
    const answer = await talk(text)
    return answer.code !== null && confirms ? await talk(`confirm ${answer.code}`) : answer
  }
  for (const text of before) await tell(text, true)
  const middle = await pull(workspace, workspace.state)
  const answer = await tell(
    say,
    ASKS.some((one) => does && one in does),
  )
  const fronts = does && 'draft-cards' in does ? await listFronts(workspace, String(does['draft-cards'])) : []
  return judge(workspace, set, does, middle, await pull(workspace, middle), { ...answer, fronts })
}

async function listFronts({ post, ids }: Workspace, key: string): Promise<string[]> {
  const { drafts } = await post('/api/flashcards/drafts', { note_id: ids.get(key) })
  return drafts.map(({ fact }: { fact: { front: string } }) => fact.front)
}

/** Does what the patterns of the baseline make of it. */
export async function obeyPatterns(workspace: Workspace, set: OwnSet, { say, does }: Command): Promise<Outcome> {
  const { send, state } = workspace
  for (const [pattern, method, path, toBody] of PATTERNS) {
    const [, object = '', more = ''] = pattern.exec(say) ?? []
    if (object === '') continue
    const query = new URLSearchParams({ q: object, types: path.includes('notes') ? 'note' : 'task' })
    const id = path.includes('FIND') ? (await send('GET', `/api/search?${query}`)).items[0]?.id : ''
    // What is not found or not understood is left.
    if (id !== undefined) await send(method, path.replace('FIND', id), toBody(object, more)).catch(() => null)
    break
  }
  return judge(workspace, set, does, state, await pull(workspace, state), { text: '', code: null, fronts: [] })
}

interface Said {
  readonly text: string
  readonly code: string | null
  /** The fronts of the drafts that the API makes of the note that is meant. */
  readonly fronts: readonly string[]
}

/** What may ask first. */
const ASKS = ['delete', 'restore', 'undo']
/** The only member that each of these changes. */
const CHANGES = {
  append: 'body',
  complete: 'status',
  move: 'due',
  rename: 'title',
  label: 'labels',
  priority: 'priority',
}
/** Words that a title may have beside those that are asked for. */
const MORE_WORDS = 2

function judge(workspace: Workspace, set: OwnSet, does: Does | null, before: State, after: State, said: Said): Outcome {
  const changed = compare(before, after)
  const done = (right: boolean) => ({ right, wrote: changed.length > 0, text: said.text, changed })
  const [only] = changed.length === 1 ? changed : []
  if (does === null) return done(changed.length === 0)
  if ('quiz' in does) return done(changed.length === 0 && set.cards.some(({ prompt }) => hold(said.text, [prompt])))
  if ('restore' in does || 'undo' in does)
    return done(changed.length > 0 && compare(workspace.state, after).length === 0)
  if ('draft-cards' in does) return done(isDraft(said, changed))
  if ('add' in does) return done(only !== undefined && only.was === null && isAdded(does, only, workspace))
  if ('delete' in does) return done(only?.id === workspace.ids.get(String(does.delete)) && only?.is === null)
  const project = workspace.ids.get(`project ${does.append}`)
  if (project && only)
    return done(!only.was && only.is?.project_id === project && hold(textOf(only.is, 'title'), listHas(does)))
  for (const [verb, member] of Object.entries(CHANGES)) {
    if (!(verb in does) || !only?.was || !only.is || only.id !== workspace.ids.get(String(does[verb]))) continue
    const [was, is] = [only.was, only.is]
    if (Object.keys(is).some((one) => one !== member && !Bun.deepEquals(was[one], is[one]))) continue
    return done(isChanged(does, was[member], is[member]))
  }
  return done(false)
}

function compare(before: State, after: State): Changed[] {
  const ids = new Set([...before.items.keys(), ...after.items.keys()])
  return [...ids].flatMap((id) => {
    const [was, is] = [before.items.get(id), after.items.get(id)]
    if (Bun.deepEquals(was, is)) return []
    return [{ id, type: (is ?? was)?.type ?? '', was: was?.members ?? null, is: is?.members ?? null }]
  })
}

const hold = (text: string, parts: readonly string[]) => parts.every((part) => fold(text).includes(fold(part)))
const textOf = (one: Changed['is'], ...members: string[]) => members.map((member) => one?.[member] ?? '').join('\n')
const listHas = ({ has }: Does) => [has ?? []].flat().map(String)
const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\d]+/gu) ?? []

/** Cards were made, or wait to be confirmed, or drafts of the note are shown. */
const isDraft = ({ text, code, fronts }: Said, changed: readonly Changed[]): boolean =>
  changed.every(({ type, was }) => type === 'fact' && !was) &&
  (changed.length > 0 || code !== null || fronts.some((front) => hold(text, [front])))

function isAdded(does: Does, { type, is }: Changed, workspace: Workspace): boolean {
  const has = listHas(does)
  if (does.add === 'note') return type === 'note' && hold(textOf(is, 'title', 'body'), has)
  if (does.add === 'card') return type === 'fact' && hold(textOf(is, 'front', 'back', 'text'), has)
  const [title, wanted] = [wordsOf(textOf(is, 'title')), wordsOf(String(does.title))]
  const rule = (is?.recurrence as { rrule: string } | null)?.rrule ?? ''
  return (
    type === 'task' &&
    wanted.every((word) => title.includes(word)) &&
    title.length <= wanted.length + MORE_WORDS &&
    (!('due' in does) || isDue(does.due, is?.due)) &&
    rule.includes(typeof does.repeat === 'string' ? `FREQ=${does.repeat.toUpperCase()}` : '') &&
    (!does.project || is?.project_id === workspace.ids.get(`project ${does.project}`))
  )
}

function isDue(wanted: unknown, due: unknown): boolean {
  const { date, time } = (due ?? {}) as { date?: string; time?: string | null }
  return (date === undefined ? null : [date, ...(time ? [time.slice(0, 5)] : [])].join('T')) === wanted
}

/** A task that is moved to another day may keep its time of day: a set that names the day alone leaves that open. */
function isMoved(wanted: unknown, was: unknown, is: unknown): boolean {
  const { time } = (was ?? {}) as { time?: string | null }
  return isDue(wanted, is) || (Boolean(time) && isDue(`${wanted}T${time?.slice(0, 5)}`, is))
}

function isChanged(does: Does, was: unknown, is: unknown): boolean {
  if ('append' in does) return hold(String(is), [...String(was).split('\n'), ...listHas(does)])
  if ('complete' in does) return is === 'done'
  if ('move' in does) return isMoved(does.due, was, is)
  if ('rename' in does) return fold(String(is)) === fold(String(does.title))
  if ('label' in does)
    return [does.labels].flat().every((one) => [is].flat().some((it) => hold(String(it), [String(one)])))
  return is === does.is
}
