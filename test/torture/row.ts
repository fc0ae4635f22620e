import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, type ProcessOptions, type Server, serving } from '../support/process'

/** What the rows of the torture share: what they are asked, what they tell, and where they happen. */

export interface Plan {
  /** Everything that a row leaves to chance is made from it. */
  readonly seed: number
  /** The short form, for the tests. */
  readonly quick: boolean
}

/** What a row has done and seen; it held if nothing broke. */
export class Report {
  readonly held: string[] = []
  readonly broken: string[] = []

  constructor(readonly did: string) {}

  /** Notes a claim, and what speaks against it, if anything does. */
  claim(what: string, against: readonly string[] | boolean): void {
    const faults = typeof against === 'boolean' ? (against ? [] : ['it is not so']) : against
    if (faults.length === 0 && this.held.includes(what)) return
    if (faults.length === 0) this.held.push(what)
    else this.broken.push(`${what}: ${faults.slice(0, FAULTS_TOLD).join(' | ')}${more(faults)}`)
  }
}

const FAULTS_TOLD = 5
const more = ({ length }: readonly string[]) => (length > FAULTS_TOLD ? ` | and ${length - FAULTS_TOLD} more` : '')

export type Row = (plan: Plan) => Promise<Report>

/** A folder, and the servers on it: `await using` ends them and clears it away. */
export class Place implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'satchel-torture-'))
  readonly #children: ReturnType<typeof launch>['child'][] = []

  start(options: Omit<ProcessOptions, 'folder'>): Promise<Server> {
    const launched = launch({ ...options, folder: this.folder })
    this.#children.push(launched.child)
    return serving(this.folder, launched)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await Promise.all(this.#children.map((child) => child.exited))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Chance that can be had again: numbers from 0 up to below 1 (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Where two texts part, with what stands around it in each. */
export function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((char, i) => char !== other[i])
  const part = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  return `${part(one)} — ${part(other)}`
}

/** A UUIDv7 that is always the same for the same numbers. */
export function idOf(group: number, n: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')
  return `01890000-0000-7000-80${hex(group, 2)}-${hex(n, 12)}`
}

/** How many requests the server has stored for a key, in all hours that it still knows. */
export async function counted(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/api/usage`, { headers: { 'X-API-Key': key } })
  const { history } = (await response.json()) as { history: { used: number }[] }
  return history.reduce((sum, { used }) => sum + used, 0)
}
