import { makeKey } from '../support/keys'

// biome-ignore lint/suspicious/noExplicitAny: a client looks into whatever came
type Shown = any

/** Short ways to ask a server for flashcards. */
export class Client {
  readonly #headers = { 'X-API-Key': makeKey(1) }
  readonly #base: string

  constructor(url: string) {
    this.#base = `${url.replace(/\/$/, '')}/api/flashcards`
  }

  async #ask(path: string, options: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.#base + path, { ...options, headers: { ...this.#headers, ...options.headers } })
    if (!response.ok) throw new Error(`${options.method ?? 'GET'} ${path}: ${await response.text()}`)
    return response
  }

  async send(method: string, path: string, body: object): Promise<Shown> {
    const headers = { 'Content-Type': 'application/json' }
    return (await this.#ask(path, { method, headers, body: JSON.stringify(body) })).json()
  }

  put = (path: string, bytes: Uint8Array) => this.#ask(path, { method: 'PUT', body: new Uint8Array(bytes) })

  import = async (bytes: Uint8Array): Promise<Shown> =>
    (await this.#ask('/import?format=apkg', { method: 'POST', body: new Uint8Array(bytes) })).json()

  export = async (query: string): Promise<Uint8Array> => (await this.#ask(`/export?${query}`)).bytes()

  async all(path: string): Promise<Shown[]> {
    const items: Shown[] = []
    for (let cursor = ''; ; ) {
      const page = (await (await this.#ask(`${path}?limit=200${cursor}`)).json()) as Shown
      items.push(...page.items)
      if (page.next_cursor === null) return items
      cursor = `&cursor=${page.next_cursor}`
    }
  }
}
