import type { Connection } from './connection'
import type { Queries, Value } from './database'

/**
 * Reads through one connection, those of one turn of the event loop in one transaction: to begin one for each statement
 * (locks, and a look whether the file has changed) takes longer than a small read itself.
 */
export class TurnReader implements Pick<Queries, 'all' | 'get'> {
  readonly #connection: Connection
  #end: NodeJS.Immediate | null = null

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]> {
    this.#begin()
    return this.#connection.all<Row>(sql, params)
  }

  async get<Row>(sql: string, params?: readonly Value[]): Promise<Row | null> {
    this.#begin()
    return this.#connection.get<Row>(sql, params)
  }

  /**
   * What is read from here on is as it is then: a commit must call this before anybody is told of it, and whoever closes
   * the connection before that.
   */
  endTurn(): void {
    if (this.#end) clearImmediate(this.#end)
    this.#end = null
    this.#connection.abandon()
  }

  #begin(): void {
    if (this.#connection.inTransaction) return
    this.#connection.exec('BEGIN')
    this.#end = setImmediate(() => this.endTurn())
  }
}
