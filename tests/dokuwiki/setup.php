<?php
// setup.php FOLDER USER PASSWORD ZONE: a wiki of its own in FOLDER, for the DokuWiki that Debian installs.
// Its pages are closed to strangers, and USER may read and write. `prepend.php` in it is for PHP's auto_prepend_file.

[, $folder, $user, $password, $zone] = $argv;

foreach (['attic', 'cache', 'index', 'locks', 'log', 'media', 'media_attic', 'media_meta', 'meta', 'pages', 'tmp'] as $name) {
    mkdir("$folder/data/$name", 0700, true);
}
mkdir("$folder/conf", 0700);

$files = [
    // DokuWiki looks for its settings where this constant says.
    'prepend.php' => "<?php date_default_timezone_set('$zone'); define('DOKU_CONF', '$folder/conf/');\n",
    'conf/local.php' => <<<PHP
        <?php
        \$conf['title'] = '日记本';
        \$conf['lang'] = 'zh';
        \$conf['savedir'] = '$folder/data';
        \$conf['useacl'] = 1;
        \$conf['authtype'] = 'authplain';
        \$conf['disableactions'] = 'register,resendpwd';
        \$conf['updatecheck'] = 0;
        PHP,
    'conf/plugins.local.php' => "<?php \$plugins['testing'] = 0;\n",
    'conf/acl.auth.php' => "*\t@ALL\t0\n*\t@user\t8\n",
    'conf/users.auth.php' => "$user:" . password_hash($password, PASSWORD_BCRYPT) . ":小林:$user@example.org:user\n",
];
foreach ($files as $name => $text) {
    file_put_contents("$folder/$name", $text);
}
