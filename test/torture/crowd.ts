import { chance } from './row'

/** Connections that cost a server something and give it nothing to do: silent ones, and ones that dribble. */

type Socket = Bun.Socket<undefined>

/**
 * An idle connection asks once and is silent then: before its first byte the kernel keeps it from the server
 * (TCP_DEFER_ACCEPT), which would be no burden.
 */
const ONCE = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** A byte each so often, in milliseconds. */
const DRIBBLE_MS = 1000
const AT_ONCE = 200

export class Crowd {
  readonly #sockets = new Set<Socket>()
  #gone = false
  readonly #random: () => number

  constructor(
    readonly port: number,
    readonly key: string,
    seed: number,
  ) {
    this.#random = chance(seed)
  }

  /** Opens that many, and keeps up their number: whoever is sent away comes again. */
  async gather(idle: number, slow: number): Promise<void> {
    const texts = [
      ...Array.from({ length: idle }, () => ONCE),
      ...Array.from({ length: slow }, (_, i) => (i % 2 === 0 ? this.#slowHead() : this.#slowBody())),
    ]
    for (let at = 0; at < texts.length; at += AT_ONCE)
      await Promise.all(texts.slice(at, at + AT_ONCE).map((text) => this.#open(text)))
  }

  leave(): void {
    this.#gone = true
    for (const socket of this.#sockets) socket.terminate()
  }

  #slowHead(): string {
    return `GET /api/notes HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${this.key}\r\nX-Slow: `
  }

  #slowBody(): string {
    const fields = [`X-API-Key: ${this.key}`, 'Content-Type: application/json', 'Content-Length: 100000']
    return `POST /api/notes HTTP/1.1\r\nHost: localhost\r\n${fields.join('\r\n')}\r\n\r\n{"title":"`
  }

  async #open(text: string): Promise<void> {
    let timer: Timer | undefined
    await Bun.connect({
      hostname: '127.0.0.1',
      port: this.port,
      socket: {
        open: (socket) => {
          this.#sockets.add(socket)
          socket.write(text)
          if (text === ONCE) return
          timer = setInterval(() => socket.write('x'), DRIBBLE_MS * (0.5 + this.#random()))
        },
        data: () => {},
        close: (socket) => {
          clearInterval(timer)
          this.#sockets.delete(socket)
          if (!this.#gone) this.#open(text).catch(() => {})
        },
        error: () => {},
      },
    })
  }
}
