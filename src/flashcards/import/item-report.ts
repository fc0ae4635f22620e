import type { ImportAction, ImportWarning, Line } from '../../imports/kind'

/** What there is to tell of one item, as it is gathered. */
export class ItemReport {
  #action: ImportAction = 'unchanged'
  #id: string | null = null
  readonly #warnings: ImportWarning[]
  readonly #counts: Record<string, number> = {}

  constructor(warnings: readonly ImportWarning[] = []) {
    this.#warnings = [...warnings]
  }

  /** @param id of the resource */
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

  /** What was made beside it. */
  addCount(type: 'deck' | 'card' | 'review', count: number): void {
    if (count > 0) this.#counts[type] = (this.#counts[type] ?? 0) + count
  }

  get line(): Line {
    return { action: this.#action, id: this.#id, warnings: this.#warnings, counts: this.#counts }
  }
}
