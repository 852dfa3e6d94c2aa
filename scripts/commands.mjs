/**
 * The commands of the project behind the few scripts of package.json, by group and name. `own` is what the script does without a name; a command that
 * `needs` others runs behind them. What is given behind the name is handed to the last line of a command. One that `helps` prints its own help.
 */

const dist = (file) => `tsx --tsconfig bench/tsconfig.dist.json bench/${file}.ts`;
const packed = 'reports/belay-sidecar-$npm_package_version.tgz';

export const GROUPS = {
  build: {
    own: ['node build.mjs', 'node --import tsx boundaries.build.mjs', 'node inspector/build.mjs'],
    domains: {
      about: 'the package, and the five agents, the examples and the audit beside it',
      needs: ['build'],
      run: [`node -e "fs.rmSync('build',{recursive:true,force:true})"`, 'tsc -p tsconfig.domains.json'],
    },
    site: { about: 'the documents as pages, in reports/site', run: ['node site/build.mjs'] },
  },
  check: {
    own: ['node check.mjs'],
    types: {
      about: 'the types of all code',
      run: ['tsc --noEmit', 'tsc --noEmit -p inspector/tsconfig.json', 'tsc --noEmit -p site/tsconfig.json'],
    },
    lint: { about: 'format and lint', run: ['biome check .'] },
    layers: {
      about: 'who imports whom',
      run: [
        'depcruise src inspector site/playground domains examples audit test bench --config .dependency-cruiser.mjs',
      ],
    },
    dead: { about: 'what nobody uses', run: ['knip'] },
    spelling: { about: 'words', run: ['cspell --no-progress --quiet'] },
    site: { about: 'the built pages: links, search, samples', run: ['node site/check.mjs'] },
    image: { about: 'the image, where a builder answers', run: ['node image/check.mjs'] },
    peers: {
      helps: true,
      about: 'the types of the comparison, after npm ci in bench/',
      run: ['tsc --noEmit -p bench'],
    },
    package: {
      about: 'what is packed: size, types, entries',
      needs: ['build'],
      run: [`node package.check.mjs`, `publint run ${packed} --strict`, `attw ${packed} --profile esm-only`],
    },
    release: { about: 'what stands against a release', run: ['node scripts/release.mjs'] },
  },
  audit: {
    own: ['node build/audit/main.js'],
    needs: ['build domains'],
    candidates: {
      about: 'what init drafts for the five agents, beside the reviewed configs',
      needs: ['build domains'],
      run: ['node build/audit/candidates/main.js'],
    },
    mails: { about: 'a thousand mails', needs: ['build domains'], run: ['node build/audit/mails/main.js'] },
    workloads: {
      about: 'other people’s tasks',
      needs: ['build domains'],
      run: ['node build/audit/workloads/main.js'],
    },
  },
  bench: {
    own: ['tsx bench/decide.ts', 'tsx bench/journal.ts', dist('sidecar'), 'tsx bench/peers.ts --installed'],
    needs: ['build'],
    command: { about: 'the start of the command', needs: ['build'], run: ['tsx bench/command.ts'] },
    journal: { about: 'rows of the three stores', run: ['tsx bench/journal.ts'] },
    sidecar: { about: 'a step', needs: ['build'], run: [dist('sidecar')] },
    claims: { about: 'claims and grants', run: ['tsx bench/claims.ts', 'tsx bench/grants.ts'] },
    archived: { about: 'runs whose rows are archived', needs: ['build'], run: [dist('archived')] },
    growth: { helps: true, about: 'long runs', needs: ['build'], run: ['tsx bench/growth.ts'] },
    git: { about: 'an edit of the git adapter: time and size', run: ['tsx bench/git.ts'] },
    inbox: { about: 'idle runs', run: ['tsx bench/inbox.ts'] },
    alternatives: { about: 'a choice', run: ['tsx bench/alternatives.ts'] },
    against: { helps: true, about: 'a step here and in another tree, interleaved', run: ['tsx bench/against.ts'] },
    postgres: { about: 'steps and claims on PostgreSQL', run: ['tsx bench/postgres.ts'] },
    depth: { about: 'a restore by its depth', needs: ['build'], run: [dist('depth')] },
    selective: { about: 'turns that change nothing', needs: ['build'], run: [dist('selective')] },
    threads: { about: 'turns of a thread', needs: ['build'], run: [dist('threads')] },
    langgraph: { about: 'a step of a graph', needs: ['build'], run: [dist('langgraph')] },
    peers: { about: 'other runtimes beside this one', needs: ['build'], run: ['tsx bench/peers.ts'] },
    scale: { helps: true, about: 'many runs and workers', needs: ['build'], run: ['tsx bench/scale.ts'] },
  },
  prove: {
    machines: { about: 'enumeration: small machines', run: ['tsx test/enumeration/main.ts'] },
    graphs: { about: 'enumeration: graphs', run: ['tsx test/langgraph/enumeration/main.ts'] },
    threads: { about: 'enumeration: threads of graphs', run: ['tsx test/langgraph/threads/main.ts'] },
    loops: { about: 'enumeration: loops and flows', run: ['tsx test/loop/enumeration/main.ts'] },
    programs: {
      about: 'random programs in workers, and all that reaches them',
      run: ['tsx test/workers/crossed/main.ts'],
    },
    steering: { about: 'enumeration: acts on events', run: ['tsx test/steering/enumerate.ts'] },
    alternatives: { about: 'enumeration: alternatives', run: ['tsx test/alternatives/main.ts'] },
    commits: { about: 'enumeration: changes of code under parked runs', run: ['tsx test/migration/commits/main.ts'] },
    release: { about: 'enumeration: claims that are released early', run: ['tsx test/release/main.ts'] },
    pools: { about: 'enumeration: pools', run: ['tsx test/pools/main.ts'] },
    why: { about: 'enumeration: why, and what a complaint takes back', run: ['tsx test/why/enumerate.ts'] },
    duality: { about: '10,000 random runs: why, held against complaints', run: ['tsx test/why/duality.ts'] },
    mandates: { about: 'enumeration: mandates', run: ['tsx test/semantics/enumerate-mandates.ts'] },
    people: { about: 'enumeration: edits, supplies, acts by hand', run: ['tsx test/semantics/enumerate-people.ts'] },
    judged: { about: 'enumeration: judges', run: ['tsx test/semantics/enumerate-judged.ts'] },
    revalidate: { about: 'enumeration: reads that are looked at again', run: ['tsx test/revalidate/main.ts'] },
    sandboxes: { about: 'enumeration: sandboxes', run: ['tsx test/sandboxes/main.ts'] },
    sweep: { about: 'every history of so many events', run: ['tsx test/recovery/sweep-all.ts'] },
    aliases: { about: 'every pair of key patterns', run: ['tsx test/boundaries/aliases-all.ts'] },
    simulate: {
      helps: true,
      about: 'random machines, worlds, faults and people',
      run: ['tsx test/simulation/main.ts'],
    },
    mutants: { about: 'each rule switched off, and the test that sees it', run: ['tsx test/mutants/main.ts'] },
    mutation: { about: 'mutants of a tool, in recovery/', run: ['stryker run'] },
    planted: { about: 'mistakes in configs that check finds', run: ['tsx test/cli/planted/mistakes.ts'] },
    rehearsals: { about: 'all agents, rehearsed', needs: ['build domains'], run: ['tsx test/cli/rehearse-all.ts'] },
    'walk-readme': { about: 'the README from the packed package', run: ['tsx test/walk/readme.ts'] },
    'walk-init': { about: 'init, as a newcomer has it', run: ['tsx test/walk/init.ts'] },
    'oncall-texts': { about: 'what people on call read', run: ['tsx test/cli/oncall/texts.ts'] },
    'soak-oncall': { helps: true, about: 'a person who does what is printed', run: ['tsx test/cli/oncall/main.ts'] },
    'soak-aborts': { about: 'aborts', run: ['tsx test/aborting/main.ts'] },
    'soak-attempts': { about: 'attempts', run: ['tsx test/forking/attempts-main.ts'] },
    'soak-forks': { about: 'forks', run: ['tsx test/forking/main.ts'] },
    'soak-commands': {
      helps: true,
      about: 'the command, with arguments of all kinds',
      run: ['tsx test/commands/main.ts'],
    },
    'git-kills': { helps: true, about: 'kills of the git adapter', run: ['tsx test/adapters/git-kills-main.ts'] },
    'soak-files': {
      about: 'kills of the adapters of files and rows',
      run: ['BELAY_KILLS=1 vitest run test/adapters/files-killed.test.ts test/adapters/rows-killed.test.ts'],
    },
    'soak-simulation': { about: '4,000 simulated runs', run: ['tsx test/simulation/main.ts --runs 4000 --seed 20'] },
    'soak-crash': { about: 'kills of processes', needs: ['build'], run: ['tsx test/crash/soak.ts'] },
    'soak-commit': { about: 'kills over commits', needs: ['build'], run: ['tsx test/crash/commit-soak.ts'] },
    'soak-graphs': { about: 'graphs', run: ['tsx test/langgraph/soak.ts'] },
    'soak-properties': {
      helps: true,
      about: 'the property tests, with many seeds',
      run: ['tsx test/properties/soak.ts'],
    },
    'soak-claims': {
      about: 'many workers on few keys',
      needs: ['build'],
      run: ['tsx test/workers/contention/soak.ts'],
    },
    'soak-pools': {
      about: 'many workers on one pool',
      needs: ['build'],
      run: ['tsx test/pools/soak/main.ts'],
    },
  },
};
