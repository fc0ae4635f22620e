import type { ImportAction, ImportWarning, Line } from '../../imports/kind'

export class ItemReport {
  #action: ImportAction
  #id: string | null
  readonly #warnings: ImportWarning[]
  #left: unknown
  readonly #counts: Record<string, number>

  /** Begins with the warnings of the item, or with its line of an earlier step. */
  constructor({ action = 'unchanged', id = null, warnings = [], counts = {} }: Partial<Line> = {}) {
    this.#action = action
    this.#id = id
    this.#warnings = [...warnings]
    this.#counts = { ...counts }
  }

  setResult(action: ImportAction, id: string | null): void {
    this.#action = action
    this.#id = id
  }

  warn(code: string, detail: string): void {
    this.#warnings.push({ code, detail })
  }

  fail(code: string, detail: string): void {
    this.setResult('failed', null)
    this.warn(code, detail)
  }

  /** Says that the item needs another step. @param progress JSON, which that step gets; see Line.again */
  leave(progress: unknown): void {
    this.#left = progress
  }

  /** Counts resources that were created in addition to the item. */
  addCount(type: 'deck' | 'card' | 'review', count: number): void {
    if (count > 0) this.#counts[type] = (this.#counts[type] ?? 0) + count
  }

  get line(): Line {
    const line = { action: this.#action, id: this.#id, warnings: this.#warnings, counts: this.#counts }
    return this.#left === undefined ? line : { ...line, left: this.#left, again: true }
  }
}
