import type { Value } from './database'

/** Collects the values of a statement that is put together from parts; each gets the next `$n`. */
export class Bindings {
  readonly values: Value[]

  constructor(...values: Value[]) {
    this.values = values
  }

  /** Takes a value and gives its placeholder. */
  add(value: Value): string {
    return `$${this.values.push(value)}`
  }
}
