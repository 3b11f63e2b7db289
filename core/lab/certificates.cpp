// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/certificates.h"

#include "core/base/clock.h"
#include "core/lab/process.h"

#include <sys/stat.h>

#include <fstream>
#include <vector>

namespace redeliver::lab {

namespace fs = std::filesystem;

namespace {

void openssl(const fs::path& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    ProcessOptions options;
    options.command = std::move(arguments);
    options.workingFolder = folder;
    options.log = folder / "openssl.log";
    runToEnd(std::move(options), std::chrono::seconds(30));
}

}  // namespace

Certificates makeCertificates(const fs::path& folder) {
    Certificates made{folder / "ca.pem", folder / "server.pem", folder / "server.key", folder / "server.p12", {}};
    const auto entropy = systemEntropy();
    made.keystorePassword = randomUuid(*entropy);
    openssl(folder, {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                     "-subj", "/CN=Redeliver lab CA", "-keyout", "ca.key", "-out", "ca.pem"});
    openssl(folder, {"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                     "-keyout", "server.key", "-out", "server.csr"});
    std::ofstream(folder / "server.ext") << "subjectAltName=DNS:localhost,IP:127.0.0.1\n";
    openssl(folder, {"x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "30", "-extfile", "server.ext", "-out", "server.pem"});
    openssl(folder, {"pkcs12", "-export", "-in", "server.pem", "-inkey", "server.key", "-certfile", "ca.pem", "-out",
                     "server.p12", "-passout", "pass:" + made.keystorePassword});
    chmod(made.key.c_str(), 0600);
    chmod(made.ca.c_str(), 0644);
    chmod(made.certificate.c_str(), 0644);
    return made;
}

}  // namespace redeliver::lab
