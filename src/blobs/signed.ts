import type { Context, Queries, Workspace, WorkspaceId } from '../db/database'

/** An address is valid on the day on which it was made (UTC) and on the next. */
const VALID_DAYS = 2
const DAY_MS = 86_400_000
/** Hexadecimal digits of a workspace, of a file and of a day. */
const DIGITS = { workspace: 32, file: 32, day: 8 }
const TOKEN = /^[\w-]{70}$/

/** Whether a text has the form of the token in a signed address; ids are shorter. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

interface Deps extends Pick<Context, 'now' | 'db'> {
  /**
   * The prefix of the addresses. The token that follows is secret: anybody who has it can read one file. A token of one
   * prefix is none of another.
   */
  readonly path: string
  /** Returns 32 hexadecimal digits that only this server can make. */
  readonly sign: (text: string) => string
  /** Returns a workspace; throws if nothing was ever stored in it. */
  readonly findWorkspace: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

interface Signed {
  readonly workspace: WorkspaceId
  /** The id of the attachment or medium. */
  readonly id: string
}

export type SignedAddresses = ReturnType<typeof createSignedAddresses>

/**
 * Creates the addresses that HTML carries, since an `<img>` cannot send a key: workspace, file and day under an HMAC.
 */
export function createSignedAddresses({ now, db, path: prefix, findWorkspace, ...deps }: Deps) {
  const sign = (content: string) => deps.sign(`${prefix} ${content}`)
  const today = () => Math.floor(now() / DAY_MS)

  /** Reads a token; null if it is not one of ours, or no longer valid. */
  function read(token: string): Signed | null {
    const hex = isToken(token) ? Buffer.from(token, 'base64url').toString('hex') : ''
    const length = DIGITS.workspace + DIGITS.file + DIGITS.day
    const [content, signature] = [hex.slice(0, length), hex.slice(length)]
    const expected = sign(content)
    if (signature.length !== expected.length || !crypto.timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
      return null
    const age = today() - Number.parseInt(content.slice(-DIGITS.day), 16)
    if (age < 0 || age >= VALID_DAYS) return null
    const id = content
      .slice(DIGITS.workspace, DIGITS.workspace + DIGITS.file)
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    // Only this server signs, and it signs only ids of workspaces.
    return { workspace: content.slice(0, DIGITS.workspace) as WorkspaceId, id }
  }

  return {
    read,

    /** Makes the address of a file: the same all day. */
    write(workspace: WorkspaceId, id: string): string {
      const content = workspace + id.replaceAll('-', '') + today().toString(16).padStart(DIGITS.day, '0')
      return prefix + Buffer.from(content + sign(content), 'hex').toString('base64url')
    },

    /**
     * Finds the owner of the file that a path shows; `subject` replaces it where requests are counted. Returns
     * null, not a promise, for every other path.
     */
    findOwner(path: string): Promise<{ workspace: Workspace; subject: string } | null> | null {
      const signed = path.startsWith(prefix) ? read(path.slice(prefix.length)) : null
      if (!signed) return null
      const subject = sign(signed.workspace + signed.id)
      return findWorkspace(db, signed.workspace).then(
        (workspace) => ({ workspace, subject }),
        // The workspace has been erased.
        () => null,
      )
    },
  }
}
