export function complaints(
  found: { readonly manifest: Record<string, unknown>; readonly locked: string; readonly changelog: string },
  release: { readonly tag: string } | null,
): string[];
