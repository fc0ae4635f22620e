/** The functions that `afterCommit` of the port was called with: by name, those of a savepoint only once it is done. */
export class AfterCommit {
  #functions = new Map<string, () => void>()

  /** Adds a function. It replaces an earlier one of the same name. */
  add(name: string, work: () => void): void {
    this.#functions.set(name, work)
  }

  /** Runs a savepoint: what is added in it is dropped if it throws. */
  async within<T>(savepoint: () => Promise<T>): Promise<T> {
    const outer = this.#functions
    this.#functions = new Map()
    try {
      const value = await savepoint()
      for (const [name, work] of this.#functions) outer.set(name, work)
      return value
    } finally {
      this.#functions = outer
    }
  }

  run(): void {
    const functions = [...this.#functions.values()]
    this.clear()
    for (const call of functions) call()
  }

  clear(): void {
    this.#functions.clear()
  }
}
